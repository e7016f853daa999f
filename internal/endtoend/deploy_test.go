package endtoend

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"bestpick/internal/testsupport"
)

// TestManifests: the Kubernetes manifests can be parsed, and their selectors match.
func TestManifests(t *testing.T) {
	const name = "app.kubernetes.io/name"
	type selector struct {
		MatchLabels map[string]string `yaml:"matchLabels"`
	}
	files, err := filepath.Glob("../../deploy/kubernetes/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	kinds := map[string]bool{}
	for _, path := range files {
		file := testsupport.Value(os.Open(path)).OrFail(t)
		for documents := yaml.NewDecoder(file); ; {
			var manifest struct {
				APIVersion string `yaml:"apiVersion"`
				Kind       string `yaml:"kind"`
				Spec       struct {
					Selector    yaml.Node `yaml:"selector"`
					PodSelector selector  `yaml:"podSelector"`
					Target      struct {
						Name string `yaml:"name"`
					} `yaml:"scaleTargetRef"`
				} `yaml:"spec"`
			}
			if err := documents.Decode(&manifest); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			kinds[manifest.Kind] = true
			var labels map[string]string
			var s selector
			switch manifest.Kind {
			case "Service":
				err = manifest.Spec.Selector.Decode(&labels)
			case "HorizontalPodAutoscaler":
				labels = map[string]string{name: manifest.Spec.Target.Name}
			case "NetworkPolicy":
				labels = manifest.Spec.PodSelector.MatchLabels
			default:
				err = manifest.Spec.Selector.Decode(&s)
				labels = s.MatchLabels
			}
			if err != nil || manifest.APIVersion == "" || labels[name] != "bestpick" {
				t.Errorf("%s: %+v selects %v, %v", path, manifest, labels, err)
			}
		}
		testsupport.NoError(t, file.Close())
	}
	for _, kind := range []string{"Deployment", "Service", "PodDisruptionBudget", "HorizontalPodAutoscaler", "NetworkPolicy"} {
		if !kinds[kind] {
			t.Errorf("no manifest has the kind %s", kind)
		}
	}
}

// TestSettings: bestpick serve knows all settings in the files of deploy.
func TestSettings(t *testing.T) {
	help := testsupport.Value(exec.CommandContext(testsupport.Limited(t), program, "serve", "--help").Output()).OrFail(t)
	for _, path := range []string{"bestpick.service", "Dockerfile", "kubernetes/deployment.yaml"} {
		text := testsupport.Value(os.ReadFile(filepath.Join("..", "..", "deploy", path))).OrFail(t)
		settings := regexp.MustCompile(`\bBESTPICK_[A-Z]+`).FindAllString(string(text), -1)
		if len(settings) < 3 {
			t.Errorf("%s sets %q", path, settings)
		}
		for _, setting := range settings {
			if !strings.Contains(string(help), "$"+setting) {
				t.Errorf("%s sets %s, which bestpick serve does not know", path, setting)
			}
		}
	}
}
