// Makes the golden vectors of domain/go: what the Go libraries that Velero 1.18.3 uses answer.
//
//	cd tools/go-vectors && go run . ../../test/unit/domain/go/vectors
//
// Vectors that hold no inputs of their own here (bool, duration, durationString, glob, semanticEqual) are read, and every answer is computed anew.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
)

// file is one vector file: its name and how to make its content from what is there.
type file struct {
	name string
	make func(existing []byte) (any, error)
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go-vectors <directory of the vectors>")
		os.Exit(2)
	}
	for _, one := range []file{
		{"bool", boolVectors},
		{"duration", durationVectors},
		{"durationString", durationStringVectors},
		{"glob", globVectors},
		{"semanticEqual", semanticEqualVectors},
		{"jsonPatch", jsonPatchVectors},
		{"mergePatch", mergePatchVectors},
		{"strategicMerge", strategicMergeVectors},
		{"regexp", regexpVectors},
		{"parseFloat", parseFloatVectors},
		{"quantity", quantityVectors},
		{"sigsYaml", sigsYamlVectors},
		{"labelValue", labelValueVectors},
		{"versionPriority", versionPriorityVectors},
	} {
		if err := write(os.Args[1], one); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", one.name, err)
			os.Exit(1)
		}
	}
}

func write(directory string, one file) error {
	path := filepath.Join(directory, one.name+".json")
	existing, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	vectors, err := one.make(existing)
	if err != nil {
		return err
	}
	content, err := render(vectors)
	if err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o644)
}

// render writes a list with one vector a line.
func render(vectors any) ([]byte, error) {
	list := reflect.ValueOf(vectors)
	content := &bytes.Buffer{}
	encoder := json.NewEncoder(content)
	encoder.SetEscapeHTML(false)
	for i := range list.Len() {
		content.WriteString(map[bool]string{true: "[\n  ", false: "  ,"}[i == 0])
		if err := encoder.Encode(list.Index(i).Interface()); err != nil {
			return nil, err
		}
	}
	content.WriteString("]\n")
	return content.Bytes(), nil
}

// text is an error's message, or empty.
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
