package endtoend

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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

// TestHardened: every container runs without root, capabilities, writable files or a service account, and with a limit of
// memory. The server trusts its ingress, and has cookies for TLS only.
func TestHardened(t *testing.T) {
	for _, path := range []string{"kubernetes/deployment.yaml", "sweeps/job.yaml"} {
		var manifest struct {
			Spec struct {
				Template struct {
					Spec struct {
						Mount    *bool `yaml:"automountServiceAccountToken"`
						Security struct {
							NonRoot bool `yaml:"runAsNonRoot"`
							User    int  `yaml:"runAsUser"`
							Seccomp struct {
								Type string `yaml:"type"`
							} `yaml:"seccompProfile"`
						} `yaml:"securityContext"`
						Containers []struct {
							Resources struct {
								Limits map[string]string `yaml:"limits"`
							} `yaml:"resources"`
							Security struct {
								Escalation *bool               `yaml:"allowPrivilegeEscalation"`
								ReadOnly   bool                `yaml:"readOnlyRootFilesystem"`
								Caps       map[string][]string `yaml:"capabilities"`
							} `yaml:"securityContext"`
						} `yaml:"containers"`
					} `yaml:"spec"`
				} `yaml:"template"`
			} `yaml:"spec"`
		}
		text := testsupport.Value(os.ReadFile(filepath.Join("..", "..", "deploy", path))).OrFail(t)
		testsupport.NoError(t, yaml.Unmarshal(text, &manifest))
		pod := manifest.Spec.Template.Spec
		if pod.Mount == nil || *pod.Mount || !pod.Security.NonRoot || pod.Security.User == 0 ||
			pod.Security.Seccomp.Type != "RuntimeDefault" ||
			len(pod.Containers) != 1 {
			t.Fatalf("%s: %+v", path, pod)
		}
		is := pod.Containers[0]
		if is.Security.Escalation == nil || *is.Security.Escalation || !is.Security.ReadOnly ||
			!slices.Equal(is.Security.Caps["drop"], []string{"ALL"}) || is.Resources.Limits["memory"] == "" {
			t.Errorf("%s: %+v", path, is)
		}
		if !strings.Contains(path, "sweeps") &&
			(!strings.Contains(string(text), "BESTPICK_TRUST") || !strings.Contains(string(text), "BESTPICK_SECURE")) {
			t.Errorf("%s neither trusts a proxy nor sets cookies for TLS only", path)
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
