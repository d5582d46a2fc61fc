package main

import (
	"encoding/json"
	"math"
	"strconv"
	"time"

	"github.com/gobwas/glob"
	"k8s.io/apimachinery/pkg/api/equality"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

type boolVector struct {
	Text  string `json:"text"`
	Value *bool  `json:"value,omitempty"`
	Error bool   `json:"error,omitempty"`
}

func boolVectors(existing []byte) (any, error) {
	var vectors []boolVector
	if err := json.Unmarshal(existing, &vectors); err != nil {
		return nil, err
	}
	for i := range vectors {
		value, err := strconv.ParseBool(vectors[i].Text)
		vectors[i].Value, vectors[i].Error = nil, err != nil
		if err == nil {
			vectors[i].Value = &value
		}
	}
	return vectors, nil
}

type durationVector struct {
	Text        string `json:"text"`
	Nanoseconds string `json:"nanoseconds,omitempty"`
	String      string `json:"string,omitempty"`
	Error       bool   `json:"error,omitempty"`
}

func durationVectors(existing []byte) (any, error) {
	var vectors []durationVector
	if err := json.Unmarshal(existing, &vectors); err != nil {
		return nil, err
	}
	for i, one := range vectors {
		duration, err := time.ParseDuration(one.Text)
		vectors[i] = durationVector{Text: one.Text, Error: err != nil}
		if err == nil {
			vectors[i].Nanoseconds = strconv.FormatInt(int64(duration), 10)
			vectors[i].String = duration.String()
		}
	}
	return vectors, nil
}

type durationStringVector struct {
	Milliseconds float64 `json:"milliseconds"`
	String       string  `json:"string"`
}

func durationStringVectors(existing []byte) (any, error) {
	var vectors []durationStringVector
	if err := json.Unmarshal(existing, &vectors); err != nil {
		return nil, err
	}
	for i, one := range vectors {
		vectors[i].String = time.Duration(math.Round(one.Milliseconds * 1e6)).String()
	}
	return vectors, nil
}

type globVector struct {
	Pattern    string   `json:"pattern"`
	Separators string   `json:"separators"`
	Error      bool     `json:"error,omitempty"`
	Matches    []string `json:"matches,omitempty"`
	Misses     []string `json:"misses,omitempty"`
}

func globVectors(existing []byte) (any, error) {
	var vectors []globVector
	if err := json.Unmarshal(existing, &vectors); err != nil {
		return nil, err
	}
	for i, one := range vectors {
		texts := append(append([]string{}, one.Matches...), one.Misses...)
		vectors[i] = globVector{Pattern: one.Pattern, Separators: one.Separators}
		compiled, err := glob.Compile(one.Pattern, []rune(one.Separators)...)
		if err != nil {
			vectors[i].Error = true
			continue
		}
		for _, text := range texts {
			if compiled.Match(text) {
				vectors[i].Matches = append(vectors[i].Matches, text)
			} else {
				vectors[i].Misses = append(vectors[i].Misses, text)
			}
		}
	}
	return vectors, nil
}

type semanticEqualVector struct {
	A     string `json:"a"`
	B     string `json:"b"`
	Equal bool   `json:"equal"`
}

func semanticEqualVectors(existing []byte) (any, error) {
	var vectors []semanticEqualVector
	if err := json.Unmarshal(existing, &vectors); err != nil {
		return nil, err
	}
	for i, one := range vectors {
		var a, b any
		if err := utiljson.Unmarshal([]byte(one.A), &a); err != nil {
			return nil, err
		}
		if err := utiljson.Unmarshal([]byte(one.B), &b); err != nil {
			return nil, err
		}
		vectors[i].Equal = equality.Semantic.DeepEqual(a, b)
	}
	return vectors, nil
}
