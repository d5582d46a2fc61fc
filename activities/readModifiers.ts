import { getObject } from '../domain/json.ts';
import { ModifierError } from '../domain/modifiers/modifierError.ts';
import { readResourceModifiers } from '../domain/modifiers/resourceModifiers.ts';
import type { Restore } from '../domain/restore/restore.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { throwUnlessRefused } from './infrastructureFault.ts';

/** The content of a resource modifier ConfigMap, or what is wrong with it, in Velero's words (spec restore-pipeline.md §3 rule 13). */
export type ModifiersContent =
  | { readonly content: string | undefined; readonly warnings: readonly string[] }
  | { readonly errors: readonly string[] };

/**
 * Reads and checks the ConfigMap that a Restore names, in the Restore's namespace. Undefined content where it names none, or an object of another kind,
 * which Velero ignores.
 * @throws InfrastructureFault, KubernetesUnreachable where the API server does not say whether the ConfigMap is there.
 */
export async function readModifiers(
  { kubernetes }: ActivityDependencies,
  { namespace, spec }: Restore,
): Promise<ModifiersContent> {
  const { kind, name } = spec.resourceModifier ?? { kind: '', name: '' };
  if (kind.toLowerCase() !== 'configmap') return { content: undefined, warnings: [] };
  const id = `${namespace}/${name}`;
  const missing = `failed to get resource modifiers configmap ${id}`;
  if (name === '')
    return { errors: [`${missing}: spec.resourceModifier.name is empty, expected the name of a ConfigMap`] };
  const result = await kubernetes.get({ group: '', version: 'v1', resource: 'configmaps', namespace, name });
  if (!result.ok) {
    throwUnlessRefused(result);
    return { errors: [result.status === 404 ? missing : `${missing}: ${result.message}`] };
  }
  const contents = Object.values(getObject(result.object, ['data']) ?? {});
  const [content] = contents;
  const parsing = `Error in parsing resource modifiers provided in configmap ${id}`;
  if (contents.length !== 1 || typeof content !== 'string') {
    return { errors: [`${parsing}: illegal resource modifiers ${id} configmap`] };
  }
  try {
    return {
      content,
      warnings: readResourceModifiers(content).warnings.map((text) => `resource modifiers ${id}: ${text}`),
    };
  } catch (error) {
    if (!(error instanceof ModifierError)) throw error;
    const prefix =
      error.type === 'ModifiersInvalid'
        ? `Validation error in resource modifiers provided in configmap ${id}`
        : parsing;
    return { errors: error.message.split('\n').map((problem) => `${prefix}: ${problem}`) };
  }
}
