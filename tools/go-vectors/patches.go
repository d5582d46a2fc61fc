package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	jsonpatch "github.com/evanphx/json-patch/v5"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	kubejson "sigs.k8s.io/json"
)

type jsonPatchVector struct {
	Document string `json:"document"`
	Patch    string `json:"patch"`
	Result   string `json:"result,omitempty"`
	Error    string `json:"error,omitempty"`
	Fault    string `json:"fault,omitempty"`
}

const patchDocument = `{"kind":"X","a":1,"b":{"c":[1,2,{"d":"x"}],"n":null,"big":9007199254740993,"s":"text","slash/key":1,"til~de":2},"list":[],"maps":[{"name":"a"},{"name":"b"}],"f":1.5}`

func jsonPatchVectors(_ []byte) (any, error) {
	vectors := []jsonPatchVector{}
	for _, operations := range []string{
		// add
		`{"op":"add","path":"/z","value":1}`, `{"op":"add","path":"/a","value":2}`, `{"op":"add","path":"/b/c/1","value":9}`, `{"op":"add","path":"/b/c/3","value":9}`,
		`{"op":"add","path":"/b/c/4","value":9}`, `{"op":"add","path":"/b/c/-","value":9}`, `{"op":"add","path":"/b/c/-1","value":9}`, `{"op":"add","path":"/b/c/-4","value":9}`,
		`{"op":"add","path":"/b/c/-5","value":9}`, `{"op":"add","path":"/b/c/x","value":9}`, `{"op":"add","path":"/b/c/1.0","value":9}`, `{"op":"add","path":"/b/c/+1","value":9}`,
		`{"op":"add","path":"/b/c/01","value":9}`, `{"op":"add","path":"/b/c/99999999999999999999","value":9}`, `{"op":"add","path":"/b/slash~1key","value":9}`, `{"op":"add","path":"/b/til~0de","value":9}`,
		`{"op":"add","path":"/missing/x","value":9}`, `{"op":"add","path":"/b/n/x","value":9}`, `{"op":"add","path":"/a/x","value":9}`, `{"op":"add","path":"/b/s/x","value":9}`,
		`{"op":"add","path":"/b/c/2/e","value":{"f":[null,true]}}`, `{"op":"add","path":"/list/0","value":"x"}`, `{"op":"add","path":"/list/1","value":"x"}`, `{"op":"add","path":"","value":{"kind":"Y"}}`,
		`{"op":"add","path":"nothing","value":1}`, `{"op":"add","path":"x/z","value":1}`, `{"op":"add","path":"/","value":1}`, `{"op":"add","path":"/b/","value":1}`, `{"op":"add","path":"/z","value":null}`,
		`{"op":"add","path":"/z","value":9007199254740995}`, `{"op":"add","path":"/__proto__","value":{"x":1}}`, `{"op":"add","path":"/z","value":""}`, `{"op":"add","path":"/b/~2","value":1}`,
		// remove
		`{"op":"remove","path":"/a"}`, `{"op":"remove","path":"/b/c/0"}`, `{"op":"remove","path":"/b/c/-1"}`, `{"op":"remove","path":"/b/c/-3"}`, `{"op":"remove","path":"/b/c/-4"}`, `{"op":"remove","path":"/b/c/3"}`,
		`{"op":"remove","path":"/b/c/x"}`, `{"op":"remove","path":"/b/c/-"}`, `{"op":"remove","path":"/missing"}`, `{"op":"remove","path":"/missing/x"}`, `{"op":"remove","path":"/b/n"}`, `{"op":"remove","path":"/list/0"}`,
		`{"op":"remove","path":"/b/c/2/d"}`, `{"op":"remove","path":""}`, `{"op":"remove","path":"/"}`,
		// replace
		`{"op":"replace","path":"/a","value":{"x":1}}`, `{"op":"replace","path":"/b/n","value":1}`, `{"op":"replace","path":"/b/c/-1","value":1}`, `{"op":"replace","path":"/b/c/3","value":1}`, `{"op":"replace","path":"/b/c/-","value":1}`,
		`{"op":"replace","path":"/missing","value":1}`, `{"op":"replace","path":"/missing/x","value":1}`, `{"op":"replace","path":"","value":{"kind":"Y"}}`, `{"op":"replace","path":"/maps/1/name","value":"c"}`, `{"op":"replace","path":"/b/c","value":[]}`,
		// test
		`{"op":"test","path":"/a","value":1}`, `{"op":"test","path":"/a","value":1.0}`, `{"op":"test","path":"/a","value":2}`, `{"op":"test","path":"/a","value":"1"}`, `{"op":"test","path":"/f","value":1.5}`, `{"op":"test","path":"/f","value":1.50}`,
		`{"op":"test","path":"/b/s","value":"text"}`, `{"op":"test","path":"/b/s","value":"\u0074ext"}`, `{"op":"test","path":"/b/n","value":null}`, `{"op":"test","path":"/b/n","value":0}`, `{"op":"test","path":"/missing","value":null}`,
		`{"op":"test","path":"/missing","value":1}`, `{"op":"test","path":"/missing/x","value":null}`, `{"op":"test","path":"/b/c","value":[1,2,{"d":"x"}]}`, `{"op":"test","path":"/b/c","value":[1,2]}`, `{"op":"test","path":"/b/c","value":[1,2,{"d":"y"}]}`,
		`{"op":"test","path":"/maps/0","value":{"name":"a"}}`, `{"op":"test","path":"/maps/0","value":{"name":"a","x":1}}`, `{"op":"test","path":"/maps/0","value":[]}`, `{"op":"test","path":"/list","value":[]}`, `{"op":"test","path":"/list","value":{}}`,
		`{"op":"test","path":"/b/big","value":9007199254740993}`, `{"op":"test","path":"/b/big","value":9007199254740992}`, `{"op":"test","path":"/b/c/5","value":1}`, `{"op":"test","path":"/b/c/x","value":1}`, `{"op":"test","path":"/b/c/5/x","value":1}`,
		`{"op":"test","path":"/b/c/-1/d","value":"x"}`, `{"op":"test","path":"/a","value":null}`, `{"op":"test","path":"/a","value":true}`, `{"op":"test","path":"/b/s","value":true}`, `{"op":"test","path":"/maps/0/name","value":"a"},{"op":"replace","path":"/maps/0/name","value":"z"}`,
		`{"op":"replace","path":"/a","value":5},{"op":"test","path":"/a","value":1},{"op":"add","path":"/z","value":1}`,
		// move, copy
		`{"op":"move","from":"/a","path":"/z"}`, `{"op":"move","from":"/b/c/0","path":"/b/c/-"}`, `{"op":"move","from":"/b/c/0","path":"/b/c/2"}`, `{"op":"move","from":"/b/c/0","path":"/b/c/3"}`, `{"op":"move","from":"/missing","path":"/z"}`, `{"op":"move","from":"/missing/x","path":"/z"}`,
		`{"op":"move","from":"/a","path":"/missing/z"}`, `{"op":"move","from":"/b","path":"/b/x"}`, `{"op":"move","from":"/maps/0","path":"/first"}`, `{"op":"move","from":"","path":"/z"}`, `{"op":"move","from":"/b/c/9","path":"/z"}`, `{"op":"move","from":"/b/n","path":"/z"}`,
		`{"op":"copy","from":"/a","path":"/z"}`, `{"op":"copy","from":"/b/c/2","path":"/b/c/0"}`, `{"op":"copy","from":"/b/c/2","path":"/b/c/-"}`, `{"op":"copy","from":"/missing","path":"/z"}`, `{"op":"copy","from":"/missing/x","path":"/z"}`, `{"op":"copy","from":"/a","path":"/missing/z"}`,
		`{"op":"copy","from":"/b/c/9","path":"/z"}`, `{"op":"copy","from":"/maps","path":"/maps/0/all"}`, `{"op":"copy","from":"/a","path":"/b/c/9"}`, `{"op":"copy","from":"/b/n","path":"/z"}`, `{"op":"copy","from":"/b/s","path":"/b/s2"},{"op":"replace","path":"/b/s2","value":"other"}`,
	} {
		one := jsonPatchVector{Document: patchDocument, Patch: "[" + operations + "]"}
		patch, err := jsonpatch.DecodePatch([]byte(one.Patch))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", one.Patch, err)
		}
		result, err := patch.Apply([]byte(one.Document))
		if err == nil {
			one.Result = string(result)
		} else {
			one.Error = err.Error()
			one.Fault = faultOf(err)
		}
		vectors = append(vectors, one)
	}
	return vectors, nil
}

func faultOf(err error) string {
	switch {
	case errors.Is(err, jsonpatch.ErrTestFailed):
		return "testFailed"
	case errors.Is(err, jsonpatch.ErrMissing):
		return "missing"
	default:
		return "invalid"
	}
}

type mergeVector struct {
	Original string `json:"original"`
	Patch    string `json:"patch"`
	Result   string `json:"result,omitempty"`
	Error    string `json:"error,omitempty"`
}

func mergePatchVectors(_ []byte) (any, error) {
	vectors := []mergeVector{}
	for _, one := range []mergeVector{
		{Original: `{"a":"b"}`, Patch: `{"a":"c"}`}, {Original: `{"a":"b"}`, Patch: `{"b":"c"}`}, {Original: `{"a":"b"}`, Patch: `{"a":null}`}, {Original: `{"a":"b","b":"c"}`, Patch: `{"a":null}`},
		{Original: `{"a":["b"]}`, Patch: `{"a":"c"}`}, {Original: `{"a":"c"}`, Patch: `{"a":["b"]}`}, {Original: `{"a":{"b":"c"}}`, Patch: `{"a":{"b":"d","c":null}}`}, {Original: `{"a":[{"b":"c"}]}`, Patch: `{"a":[1]}`},
		{Original: `{"e":null}`, Patch: `{"a":1}`}, {Original: `{"e":null}`, Patch: `{"e":{"x":null,"y":1}}`}, {Original: `{}`, Patch: `{"a":{"bb":{"ccc":null}}}`}, {Original: `{}`, Patch: `{"a":[{"b":null,"c":1},null]}`},
		{Original: `{"a":[1]}`, Patch: `{"a":[{"b":null,"c":1},null,[{"d":null}]]}`}, {Original: `{"a":{"x":1}}`, Patch: `{"a":[{"b":null,"c":1},null]}`}, {Original: `{"a":{"x":1}}`, Patch: `{"a":1}`}, {Original: `{"a":1}`, Patch: `{"a":{"x":{"y":null}}}`},
		{Original: `{"big":9007199254740993}`, Patch: `{"big2":9007199254740995}`}, {Original: `{"a":1}`, Patch: `{}`}, {Original: `{"a":{}}`, Patch: `{"a":{"b":{}}}`}, {Original: `{"a":{"b":{"c":1,"d":2}}}`, Patch: `{"a":{"b":{"c":null}}}`},
	} {
		result, err := jsonpatch.MergePatch([]byte(one.Original), []byte(one.Patch))
		one.Result, one.Error = string(result), text(err)
		vectors = append(vectors, one)
	}
	return vectors, nil
}

type strategicVector struct {
	Kind     string `json:"kind"`
	Original string `json:"original"`
	Patch    string `json:"patch"`
	Result   string `json:"result,omitempty"`
	Error    string `json:"error,omitempty"`
}

const pod = `{"metadata":{"name":"p","labels":{"a":"1","b":"2"},"finalizers":["x","y"],"ownerReferences":[{"uid":"1","name":"one"},{"uid":"2","name":"two"}]},"spec":{` +
	`"containers":[{"name":"a","image":"a:1","env":[{"name":"E","value":"1"},{"name":"F","value":"2"}],"ports":[{"containerPort":80,"protocol":"TCP","name":"http"},{"containerPort":81}],"args":["x","y"]},{"name":"b","image":"b:1"}],` +
	`"volumes":[{"name":"v","emptyDir":{}},{"name":"w","nfs":{"server":"s","path":"/p"}}],"tolerations":[{"key":"t"}],"nodeSelector":{"k":"v"},"imagePullSecrets":[{"name":"p1"},{"name":"p2"}],"securityContext":{"supplementalGroups":[1,2],"runAsUser":1}}}`

func strategicMergeVectors(_ []byte) (any, error) {
	vectors := []strategicVector{}
	schemas := map[string]any{"v1 Pod": corev1.Pod{}, "v1 Service": corev1.Service{}, "apps/v1 Deployment": appsv1.Deployment{}, "batch/v1 CronJob": batchv1.CronJob{}, "v1 ConfigMap": corev1.ConfigMap{}, "v1 ServiceAccount": corev1.ServiceAccount{}, "v1 Secret": corev1.Secret{}}
	service := `{"spec":{"ports":[{"name":"a","port":80,"protocol":"TCP","targetPort":8080},{"name":"b","port":443,"protocol":"TCP"},{"name":"c","port":53,"protocol":"UDP"}],"externalIPs":["1.1.1.1"],"selector":{"x":"y"}}}`
	for _, one := range []strategicVector{
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"containers":[{"name":"b","image":"b:2"}]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"containers":[{"name":"c","image":"c:1"}]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"containers":[{"name":"c","image":"c:1"},{"name":"a","image":"a:2"}]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"containers":[{"name":"a","env":[{"name":"F","value":"3"},{"name":"G","value":"4"}]}]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"containers":[{"name":"a","$patch":"delete"}]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"containers":[{"name":"z","$patch":"delete"}]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"containers":[{"$patch":"replace"},{"name":"only","image":"o:1"}]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"containers":[{"$patch":"delete"}]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"containers":[{"name":"a","$patch":"merge"}]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"containers":[{"name":"a","$patch":"other"}]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"containers":[{"image":"no-name"}]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"containers":["text"]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"containers":[{"name":"a","args":["z"]}]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"containers":[{"name":"a","ports":[{"containerPort":80,"name":"web"},{"containerPort":90}]}]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"a"}],"containers":[{"name":"a","image":"a:2"}]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"a"}]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"$setElementOrder/containers":[{"name":"c"},{"name":"a"}],"containers":[{"name":"c","image":"c:1"}]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"$setElementOrder/containers":[{"name":"b"}],"containers":[{"name":"c","image":"c:1"}]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"$setElementOrder/containers":"x"}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"volumes":[{"name":"w","nfs":null,"persistentVolumeClaim":{"claimName":"c"}}]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"volumes":[{"name":"w","$retainKeys":["name","persistentVolumeClaim"],"persistentVolumeClaim":{"claimName":"c"}}]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"volumes":[{"name":"w","$retainKeys":["name"],"persistentVolumeClaim":{"claimName":"c"}}]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"volumes":[{"name":"w","$retainKeys":"name"}]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"tolerations":[{"key":"u"}]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"nodeSelector":{"k":null,"l":"m"}}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"nodeSelector":{"$patch":"replace","l":"m"}}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"nodeSelector":{"$patch":"delete"}}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"nodeSelector":{"$patch":"other"}}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"nodeSelector":null,"hostNetwork":true}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"affinity":{"nodeAffinity":null,"podAffinity":{}}}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"metadata":{"labels":{"a":null,"c":"3"},"annotations":{"n":"1","z":null}}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"metadata":{"finalizers":["z"]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"metadata":{"finalizers":["y","z"]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"metadata":{"$deleteFromPrimitiveList/finalizers":["x"]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"metadata":{"$deleteFromPrimitiveList/finalizers":["x"],"finalizers":["w"]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"metadata":{"$deleteFromPrimitiveList":["x"]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"metadata":{"$setElementOrder/finalizers":["z","y","x"],"finalizers":["z"]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"metadata":{"ownerReferences":[{"uid":"2","name":"zwei"}]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"metadata":{"finalizers":null}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"metadata":{"finalizers":[1]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"securityContext":{"supplementalGroups":[3],"runAsUser":9007199254740993}}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"securityContext":{"$patch":"replace","runAsUser":2}}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"imagePullSecrets":[{"name":"p3"},{"name":"p1"}]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"initContainers":[{"name":"i","env":[{"name":"x","value":null}]},{"name":"j","$patch":"delete"}]}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"containers":null}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"spec":{"containers":{"name":"a"}}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"$patch":"replace","metadata":{"name":"q"}}`},
		{Kind: "v1 Pod", Original: pod, Patch: `{"$patch":"delete"}`},
		{Kind: "v1 Pod", Original: `{"spec":{"containers":[]}}`, Patch: `{"spec":{"containers":[]}}`},
		{Kind: "v1 Pod", Original: `{"spec":{"containers":null}}`, Patch: `{"spec":{"containers":[{"name":"a"}]}}`},
		{Kind: "v1 Pod", Original: `{"spec":{"containers":[{"name":"a","x":1},{"name":"a","x":2}]}}`, Patch: `{"spec":{"containers":[{"name":"a","image":"i"}]}}`},
		{Kind: "v1 Service", Original: service, Patch: `{"spec":{"$setElementOrder/ports":[{"port":81},{"port":443},{"port":53}],"ports":[{"name":"a","port":81,"protocol":"TCP"},{"port":80,"$patch":"delete"}]}}`},
		{Kind: "v1 Service", Original: service, Patch: `{"spec":{"ports":[{"port":443,"nodePort":30000}]}}`},
		{Kind: "v1 Service", Original: service, Patch: `{"spec":{"externalIPs":["2.2.2.2"],"selector":{"z":"1"}}}`},
		{Kind: "v1 Service", Original: service, Patch: `{"spec":{"ports":[{"port":53,"name":"d"},{"port":80,"name":"e"}]}}`},
		{Kind: "apps/v1 Deployment", Original: `{"spec":{"replicas":1,"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}},"template":{"spec":{"containers":[{"name":"nginx","image":"nginx:1"}]}}}}`, Patch: `{"spec":{"replicas":3,"template":{"spec":{"containers":[{"name":"nginx","image":"nginx:2"}]}}}}`},
		{Kind: "apps/v1 Deployment", Original: `{"spec":{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}}}`, Patch: `{"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}}`},
		{Kind: "apps/v1 Deployment", Original: `{"spec":{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}}}`, Patch: `{"spec":{"strategy":{"type":"Recreate"}}}`},
		{Kind: "batch/v1 CronJob", Original: `{"spec":{"jobTemplate":{"spec":{"template":{"spec":{"containers":[{"name":"a","image":"1"}]}}}}}}`, Patch: `{"spec":{"jobTemplate":{"spec":{"template":{"spec":{"containers":[{"name":"a","image":"2"}]}}}}}}`},
		{Kind: "v1 ConfigMap", Original: `{"data":{"a":"1","b":"2"}}`, Patch: `{"data":{"a":null,"c":"3"}}`},
		{Kind: "v1 Secret", Original: `{"data":{"a":"MQ=="},"type":"Opaque"}`, Patch: `{"stringData":{"b":"x"},"type":"other"}`},
		{Kind: "v1 ServiceAccount", Original: `{"secrets":[{"name":"a"},{"name":"b"}]}`, Patch: `{"secrets":[{"name":"c"},{"name":"a","$patch":"delete"}]}`},
	} {
		original, patch := map[string]any{}, map[string]any{}
		if err := kubejson.UnmarshalCaseSensitivePreserveInts([]byte(one.Original), &original); err != nil {
			return nil, fmt.Errorf("%s: %w", one.Original, err)
		}
		if err := kubejson.UnmarshalCaseSensitivePreserveInts([]byte(one.Patch), &patch); err != nil {
			return nil, fmt.Errorf("%s: %w", one.Patch, err)
		}
		result, err := strategicpatch.StrategicMergeMapPatch(original, patch, schemas[one.Kind])
		one.Error = text(err)
		if err == nil {
			content := &bytes.Buffer{}
			encoder := json.NewEncoder(content)
			encoder.SetEscapeHTML(false)
			if err := encoder.Encode(result); err != nil {
				return nil, err
			}
			one.Result = string(bytes.TrimSpace(content.Bytes()))
		}
		vectors = append(vectors, one)
	}
	return vectors, nil
}
