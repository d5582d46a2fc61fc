import { locateProgram } from './locate.ts';
import { programs } from './programs.ts';

/**
 * Which controllers to run where the choice is free: the minimal set; but none where envtest binaries are given
 * (`KUBEBUILDER_ASSETS`) and no kube-controller-manager is at hand, because who gives those wants no build of minutes.
 */
export async function controllersAtHand(environment: NodeJS.ProcessEnv = process.env): Promise<'minimal' | 'none'> {
  if (!environment['KUBEBUILDER_ASSETS']) return 'minimal';
  const program = programs.find(({ name }) => name === 'kube-controller-manager');
  return program !== undefined && (await locateProgram(program, environment)) ? 'minimal' : 'none';
}
