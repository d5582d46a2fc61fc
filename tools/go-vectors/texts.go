package main

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"gopkg.in/inf.v0"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/version"
	"sigs.k8s.io/yaml"
)

type regexpVector struct {
	Pattern string   `json:"pattern"`
	Error   string   `json:"error,omitempty"`
	Matches []string `json:"matches"`
	Misses  []string `json:"misses"`
}

func regexpVectors(_ []byte) (any, error) {
	names := []string{"", "web", "web-0", "my-web", "WEB", "db-1", "a.b", "axb", "web\n", "äö", "web-config", "x-web-y", "kube-root-ca.crt"}
	patterns := []string{
		"", "web", "^web$", "^web", "web$", "w.b", "^w.b$", "a.b", `a\.b`, "(?i)web", "^(web|db)-", "[0-9]+$", `\d`, `\D`, "^[^-]*$",
		"web-?", "(web){2}", "^.{3}$", `\bweb\b`, "^$", "(?s)web.$", "(?m)^web$", "ä.", `\pL+`, "[[:upper:]]", "(?P<name>web)", "(?:web)",
		"(", ")", "[", "[z-a]", "*", "a**", `\`, "(?=web)", "(?!web)", `\1`, "a{1001}", "(?<n>web)", `\Qa.b\E`, "x{2,1}", `\C`, `(?U)w+`,
	}
	vectors := []regexpVector{}
	for _, pattern := range patterns {
		one := regexpVector{Pattern: pattern, Matches: []string{}, Misses: []string{}}
		compiled, err := regexp.Compile(pattern)
		one.Error = text(err)
		if err == nil {
			for _, name := range names {
				if compiled.MatchString(name) {
					one.Matches = append(one.Matches, name)
				} else {
					one.Misses = append(one.Misses, name)
				}
			}
		}
		vectors = append(vectors, one)
	}
	return vectors, nil
}

type parseFloatVector struct {
	Text   string `json:"text"`
	Number bool   `json:"number"`
}

func parseFloatVectors(_ []byte) (any, error) {
	vectors := []parseFloatVector{}
	for _, text := range []string{
		"0", "-0", "1", "+1", "-1", "01", "1.", ".5", "1.5", "-.5", ".", "-", "+", "1e3", "1E3", "1e+3", "1e-3", "1e", "1e999", "-1e999", "1e-999",
		"9007199254740993", "18446744073709551616", "1_000", "0x1p-2", "0x1.8p1", "0x1", "0x", "0b1", "0o7", "NaN", "nan", "-NaN", "+nan", "Inf", "inf", "-Inf", "+Infinity",
		"infinity", "infinit", "1 ", " 1", "1a", "1.2.3", "1,5", "٣", "0x_1p1", "1e1_0", "true", "null", "",
		"1" + strings.Repeat("0", 308), "1" + strings.Repeat("0", 309), "179769313486231580793728971405301e276", "1.7976931348623157e308", "1.7976931348623159e308",
	} {
		_, err := strconv.ParseFloat(text, 64)
		vectors = append(vectors, parseFloatVector{text, err == nil})
	}
	return vectors, nil
}

type quantityVector struct {
	Text  string `json:"text"`
	Error bool   `json:"error,omitempty"`
	// Nano is in billionths, what is smaller rounded away from zero.
	Nano      string `json:"nano,omitempty"`
	Canonical string `json:"canonical,omitempty"`
}

func quantityVectors(_ []byte) (any, error) {
	vectors := []quantityVector{}
	for _, text := range []string{
		"0", "1", "+1", "-1", "100m", "0.1", "1.5", ".5", "5.", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei", "1k", "1M", "1G", "1T", "1P", "1E", "1e3", "1E3", "1e-3", "1n", "1u", "1500m",
		"1024Mi", "0.5Gi", "1.1Gi", "128974848", "129e6", "129M", "123Mi", "1.5Mi", "9223372036854775807", "9223372036854775808", "10Ei", "12345678901234567890", "1000000000000000000000m",
		"", " 1", "1 ", "1K", "1ki", "1Zi", "a", "1.2.3", "--1", "1e", "1ee3", "-", ".", "Ki", "1mi", "0x10", "1_000", "1e3Ki", "0.0000000001", "1.0000000001", "-0.0000000001", "-1500m", "1e+3", "-1Ki", "2.5k",
	} {
		one := quantityVector{Text: text}
		quantity, err := resource.ParseQuantity(text)
		if err != nil {
			one.Error = true
		} else {
			one.Canonical = quantity.String()
			one.Nano = new(inf.Dec).Round(quantity.AsDec(), 9, inf.RoundUp).UnscaledBig().String()
		}
		vectors = append(vectors, one)
	}
	return vectors, nil
}

type sigsYamlVector struct {
	Text  string `json:"text"`
	JSON  string `json:"json,omitempty"`
	Error bool   `json:"error,omitempty"`
}

func sigsYamlVectors(_ []byte) (any, error) {
	vectors := []sigsYamlVector{}
	for _, text := range []string{
		"", "{}", "a: 1", "a: '1'", "a: yes", "a: on", "a: No", "a: true", "a: ~", "a: null", "a:", "a: 1.5", "a: 1e3", "a: 010", "a: 0x10", "a: 1_000", "a: 2001-01-01", "a: 2001-01-01T00:00:00Z",
		"a: 1:30", "a: 9007199254740993", "a: -9007199254740993", "a: 9223372036854775807", "a: |\n  x\n  y\n", "a: >\n  x\n  y\n", "a: [1, two, {b: c}]", "- 1\n- a: b\n",
		`{"metadata":{"labels":{"tier":null}}}`, "text", "1", "a: &x {b: 1}\nc: *x\n", "x: &x {b: 1}\na:\n  <<: *x\n  c: 2\n", "1: a", "true: a", "a: \"\\u00e4\"", "a: 'it''s'", "a: # comment\n  b: 1\n",
		"a: 1\n---\nb: 2\n", "---\na: 1\n", "a: .5", "a: +1", "a: 1.0", "a: '\\n'", "a: y", "a: n", "a: Off", "a: 0b11", "a: 0o7", "a: !!str 1", "a: <<",
		"a: [", "a: {b", "a: b: c", "\ta: 1", "a: 'x", "a: \"\\q\"", "a: *x", "a\nb: 1", "- a\nb: 1", "a: 1\n b: 2", "[a", "a: @x", "a: %x", "? a\n: b\n",
	} {
		one := sigsYamlVector{Text: text}
		converted, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			one.Error = true
		} else {
			one.JSON = string(converted)
		}
		vectors = append(vectors, one)
	}
	return vectors, nil
}

type labelValueVector struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Velero's rule (pkg/label GetValidName), with the limit that Kubernetes itself has.
func labelValueVectors(_ []byte) (any, error) {
	vectors := []labelValueVector{}
	for _, name := range []string{
		"", "short", strings.Repeat("a", 63), strings.Repeat("a", 64), strings.Repeat("ab-", 30), "dd-2b6fa1c9-9c47-4b0b-9d2d-1f0a3c5f7e11.4f0d6d4e-6b0a-4a1e-8f7e-2f0d6d4e6b0a",
		"team-a-with-a-very-long-namespace-name.data-of-the-database-claim-0",
	} {
		value := name
		if len(name) > validation.DNS1035LabelMaxLength {
			sum := sha256.Sum256([]byte(name))
			value = name[:validation.DNS1035LabelMaxLength-6] + hex.EncodeToString(sum[:])[:6]
		}
		vectors = append(vectors, labelValueVector{name, value})
	}
	return vectors, nil
}

// Versions in the order in which Kubernetes prefers them.
func versionPriorityVectors(_ []byte) (any, error) {
	lists := [][]string{
		{"v1", "v2", "v1beta1", "v1alpha1", "v2beta1", "v11", "v10", "v2alpha2"},
		{"v1beta10", "v1beta2", "v1beta1", "v1"},
		{"foo10", "foo1", "v1", "v1foo", "va", "v", "V1", "v01"},
		{"v3beta1", "v12alpha1", "v12alpha2", "v10beta3", "v1"},
		{"v2", "v1"}, {"a"}, {},
	}
	type vector struct {
		Versions []string `json:"versions"`
		Sorted   []string `json:"sorted"`
	}
	vectors := []vector{}
	for _, list := range lists {
		sorted := append([]string{}, list...)
		sort.SliceStable(sorted, func(i, j int) bool { return version.CompareKubeAwareVersionStrings(sorted[i], sorted[j]) > 0 })
		vectors = append(vectors, vector{list, sorted})
	}
	return vectors, nil
}
