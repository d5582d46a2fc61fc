// Plugin of the tests, built against Velero's own plugin framework. What it does is told by annotations of the items that it gets
// (prefix test.example.com/) and by the names of additional items; what must outlive a crash is kept in files of the directory that
// TEST_PLUGIN_DIRECTORY names.
package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	api "github.com/vmware-tanzu/velero/pkg/apis/velero/v1"
	"github.com/vmware-tanzu/velero/pkg/plugin/framework"
	"github.com/vmware-tanzu/velero/pkg/plugin/velero"
)

const prefix = "test.example.com/"

func main() {
	framework.NewServer().
		BindFlags(pflag.CommandLine).
		RegisterRestoreItemAction(prefix+"v1", func(log logrus.FieldLogger) (any, error) { return &actionV1{log}, nil }).
		RegisterRestoreItemActionV2(prefix+"v2", func(log logrus.FieldLogger) (any, error) { return &actionV2{log}, nil }).
		RegisterVolumeSnapshotter(prefix+"volumes", func(log logrus.FieldLogger) (any, error) {
			return &snapshotter{log: log}, nil
		}).
		RegisterObjectStore(prefix+"files", func(log logrus.FieldLogger) (any, error) { return &files{}, nil }).
		Serve()
}

var mutex sync.Mutex

// file is where something is kept beyond this process.
func file(name string) string {
	return filepath.Join(os.Getenv("TEST_PLUGIN_DIRECTORY"), strings.ReplaceAll(name, "/", "_"))
}

// count adds one to the number in a file and returns it.
func count(name string) int {
	mutex.Lock()
	defer mutex.Unlock()
	content, _ := os.ReadFile(file(name))
	number, _ := strconv.Atoi(string(content))
	number++
	if err := os.WriteFile(file(name), []byte(strconv.Itoa(number)), 0o600); err != nil {
		panic(err)
	}
	return number
}

// note appends a line to a file.
func note(name, line string) {
	mutex.Lock()
	defer mutex.Unlock()
	opened, err := os.OpenFile(file(name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer opened.Close()
	fmt.Fprintln(opened, line)
}

type actionV1 struct{ log logrus.FieldLogger }

func (a *actionV1) AppliesTo() (velero.ResourceSelector, error) {
	return velero.ResourceSelector{IncludedResources: []string{"configmaps"}, LabelSelector: "test-plugin=v1"}, nil
}

func (a *actionV1) Execute(input *velero.RestoreItemActionExecuteInput) (*velero.RestoreItemActionExecuteOutput, error) {
	item := &unstructured.Unstructured{Object: input.Item.UnstructuredContent()}
	label(item, "v1", "yes")
	return velero.NewRestoreItemActionExecuteOutput(item), nil
}

type actionV2 struct{ log logrus.FieldLogger }

func (a *actionV2) Name() string { return "" }

func (a *actionV2) AppliesTo() (velero.ResourceSelector, error) {
	return velero.ResourceSelector{IncludedResources: []string{"cm"}, LabelSelector: "test-plugin=v2"}, nil
}

func (a *actionV2) Execute(input *velero.RestoreItemActionExecuteInput) (*velero.RestoreItemActionExecuteOutput, error) {
	item := &unstructured.Unstructured{Object: input.Item.UnstructuredContent()}
	told := func(name string) string { return item.GetAnnotations()[prefix+name] }
	calls := count("executed-" + item.GetName())
	a.log.WithField("item", item.GetName()).Debug("executing")

	if told("log") != "" {
		a.log.Info("informed")
		a.log.Warn("warned")
		a.log.Error("erred")
		fmt.Fprintln(os.Stderr, "plain text on stderr")
		fmt.Println("plain text on stdout")
	}
	if told("flood") != "" {
		for line := range 100_000 {
			fmt.Fprintf(os.Stderr, "flood %d %s\n", line, strings.Repeat("x", 100))
		}
	}
	if sleep, err := time.ParseDuration(told("sleep")); err == nil {
		time.Sleep(sleep)
	}
	if told("crash-at-call") == strconv.Itoa(calls) || told("crash-at-call") == "every" {
		os.Exit(7)
	}
	if told("panic") != "" {
		panic(told("panic"))
	}
	if told("error") != "" {
		return nil, fmt.Errorf("%s", told("error"))
	}

	label(item, "v2", "yes")
	if told("rename") != "" {
		item.SetName(told("rename"))
	}
	if size, err := strconv.Atoi(told("size")); err == nil {
		_ = unstructured.SetNestedField(item.Object, strings.Repeat("x", size), "data", "large")
	}
	if told("no-kind") != "" {
		delete(item.Object, "kind")
	}
	output := velero.NewRestoreItemActionExecuteOutput(updated(item))
	for _, one := range strings.Fields(told("additional")) {
		parts := strings.Split(one, "|")
		output.AdditionalItems = append(output.AdditionalItems, velero.ResourceIdentifier{
			GroupResource: schema.GroupResource{Group: parts[0], Resource: parts[1]},
			Namespace:     parts[2],
			Name:          parts[3],
		})
	}
	if told("wait") != "" {
		output = output.WithItemsWait()
		output.AdditionalItemsReadyTimeout, _ = time.ParseDuration(told("wait"))
	}
	if told("operation") != "" {
		output = output.WithOperationID(told("operation"))
	}
	if told("skip") != "" {
		output = output.WithoutRestore()
	}
	return output, nil
}

func updated(item *unstructured.Unstructured) runtime.Unstructured { return item }

// AreAdditionalItemsReady goes by the names of the items: never-…, error-…, crash-…, ready-after-N-…; others are ready at once.
func (a *actionV2) AreAdditionalItemsReady(items []velero.ResourceIdentifier, restore *api.Restore) (bool, error) {
	names := []string{}
	for _, item := range items {
		names = append(names, item.Name)
	}
	asked := count("asked-" + strings.Join(names, "-"))
	note("asked", fmt.Sprintf("%s %s", restore.Name, strings.Join(names, " ")))
	for _, name := range names {
		switch {
		case strings.HasPrefix(name, "never-"):
			return false, nil
		case strings.HasPrefix(name, "error-"):
			return false, fmt.Errorf("cannot tell whether %s is ready", name)
		case strings.HasPrefix(name, "crash-"):
			if asked == 2 {
				os.Exit(7)
			}
			return asked > 2, nil
		case strings.HasPrefix(name, "ready-after-"):
			after, _ := strconv.Atoi(strings.Split(name, "-")[2])
			if asked <= after {
				return false, nil
			}
		}
	}
	return true, nil
}

// Progress goes by the operation's id: steps-N-…, fails-…, forever-…; others are not known.
func (a *actionV2) Progress(operationID string, restore *api.Restore) (velero.OperationProgress, error) {
	step := int64(count("progress-" + operationID))
	parts := strings.Split(operationID, "-")
	progress := velero.OperationProgress{
		NCompleted: step, OperationUnits: "steps", Description: "of " + operationID, Started: time.Now(), Updated: time.Now(),
	}
	switch parts[0] {
	case "steps":
		progress.NTotal, _ = strconv.ParseInt(parts[1], 10, 64)
		progress.Completed = step >= progress.NTotal
	case "fails":
		progress.Completed, progress.Err = step >= 2, "the operation went wrong"
	case "forever":
		progress.NTotal = 1_000
	default:
		return velero.OperationProgress{}, fmt.Errorf("operation ID %s is invalid", operationID)
	}
	return progress, nil
}

func (a *actionV2) Cancel(operationID string, restore *api.Restore) error {
	note("cancelled", operationID)
	return nil
}

func label(item *unstructured.Unstructured, key, value string) {
	labels := item.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[key] = value
	item.SetLabels(labels)
}

// snapshotter makes volumes of a name that tells where they came from, and writes down what it was asked.
type snapshotter struct {
	log    logrus.FieldLogger
	config map[string]string
}

func (s *snapshotter) Init(config map[string]string) error {
	if config["refuse"] != "" {
		return fmt.Errorf("%s", config["refuse"])
	}
	s.config = config
	note("volumes", fmt.Sprintf("init %v", config))
	return nil
}

func (s *snapshotter) CreateVolumeFromSnapshot(snapshotID, volumeType, volumeAZ string, iops *int64) (string, error) {
	note("volumes", fmt.Sprintf("create %s %s %s", snapshotID, volumeType, volumeAZ))
	if strings.HasPrefix(snapshotID, "fails-") {
		return "", fmt.Errorf("snapshot %s is not there", snapshotID)
	}
	if strings.HasPrefix(snapshotID, "crash-") {
		os.Exit(7)
	}
	return "volume-of-" + snapshotID, nil
}

func (s *snapshotter) GetVolumeID(volume runtime.Unstructured) (string, error) {
	id, _, err := unstructured.NestedString(volume.UnstructuredContent(), "spec", "csi", "volumeHandle")
	return id, err
}

func (s *snapshotter) SetVolumeID(volume runtime.Unstructured, volumeID string) (runtime.Unstructured, error) {
	err := unstructured.SetNestedField(volume.UnstructuredContent(), volumeID, "spec", "csi", "volumeHandle")
	return volume, err
}

func (s *snapshotter) GetVolumeInfo(volumeID, volumeAZ string) (string, *int64, error) {
	return "", nil, fmt.Errorf("not used by restores")
}

func (s *snapshotter) CreateSnapshot(volumeID, volumeAZ string, tags map[string]string) (string, error) {
	return "", fmt.Errorf("not used by restores")
}

func (s *snapshotter) DeleteSnapshot(snapshotID string) error {
	return fmt.Errorf("not used by restores")
}

// files is an object store whose buckets are directories: the configuration says below which one.
type files struct{ directory string }

func (f *files) Init(config map[string]string) error {
	if config["directory"] == "" {
		return errors.New("config.directory: expected a directory")
	}
	f.directory = config["directory"]
	note("stores", fmt.Sprintf("init %s %s %t", config["bucket"], config["prefix"], config["credentialsFile"] != ""))
	if path := config["credentialsFile"]; path != "" {
		content, err := os.ReadFile(path)
		if err != nil || string(content) != "open sesame" {
			return errors.New("config.credentialsFile: wrong credentials")
		}
	}
	return nil
}

func (f *files) path(bucket, key string) string { return filepath.Join(f.directory, bucket, key) }

func (f *files) PutObject(bucket, key string, body io.Reader) error {
	path := f.path(bucket, key)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	content, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o600)
}

func (f *files) ObjectExists(bucket, key string) (bool, error) {
	_, err := os.Stat(f.path(bucket, key))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func (f *files) GetObject(bucket, key string) (io.ReadCloser, error) {
	if strings.HasPrefix(filepath.Base(key), "crash-") && count("read-"+key) == 1 {
		opened, err := os.Open(f.path(bucket, key))
		return &crashing{opened, 40_000}, err
	}
	return os.Open(f.path(bucket, key))
}

// crashing ends the process in the middle of a content.
type crashing struct {
	*os.File
	left int
}

func (c *crashing) Read(into []byte) (int, error) {
	if c.left <= 0 {
		os.Exit(7)
	}
	read, err := c.File.Read(into[:min(len(into), c.left)])
	c.left -= read
	return read, err
}

func (f *files) keys(bucket, prefix string) ([]string, error) {
	keys := []string{}
	root := f.path(bucket, "")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		key, err := filepath.Rel(root, path)
		if strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
		return err
	})
	return keys, err
}

func (f *files) ListObjects(bucket, prefix string) ([]string, error) { return f.keys(bucket, prefix) }

func (f *files) ListCommonPrefixes(bucket, prefix, delimiter string) ([]string, error) {
	keys, err := f.keys(bucket, prefix)
	found := map[string]bool{}
	prefixes := []string{}
	for _, key := range keys {
		rest := strings.TrimPrefix(key, prefix)
		if end := strings.Index(rest, delimiter); end >= 0 && !found[rest[:end]] {
			found[rest[:end]] = true
			prefixes = append(prefixes, prefix+rest[:end+len(delimiter)])
		}
	}
	return prefixes, err
}

func (f *files) DeleteObject(bucket, key string) error {
	err := os.Remove(f.path(bucket, key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (f *files) CreateSignedURL(bucket, key string, ttl time.Duration) (string, error) {
	return "", errors.New("not used by restores")
}
