package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"bestpick/internal/testsupport"
)

// TestFetchData: the script fetches published files from a mirror and converts them. A file that cannot be fetched is
// reported, and the others are made.
func TestFetchData(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil && os.Getenv("CI") != "true" {
		t.Skip("the script that fetches the data needs python3, which is missing here")
	}
	testsupport.NoError(t, err)
	const xlogit = "/raw.githubusercontent.com/arteagac/xlogit/master/examples/data/"
	published := map[string]string{
		"/transp-or.epfl.ch/data/swissmetro.dat": "SP\tPURPOSE\tGA\tTRAIN_AV\tCAR_AV\tSM_AV\tTRAIN_TT\tTRAIN_CO\tSM_TT\tSM_CO\tCAR_TT\tCAR_CO\tCHOICE\n" +
			"1\t2\t0\t1\t1\t1\t9\t9\t9\t9\t9\t9\t1\n" + // another purpose
			"1\t1\t0\t1\t1\t1\t9\t9\t9\t9\t9\t9\t0\n" + // an unknown choice
			"1\t1\t0\t1\t1\t1\t112\t48\t63\t52\t117\t65\t2\n" +
			"1\t3\t1\t1\t0\t1\t64\t80\t40\t70\t0\t0\t1\n", // an annual pass, and no car
		xlogit + "electricity_long.csv": "choice,id,alt,pf,cl,loc,wk,tod,seas,chid\n0,1,1,7,5,0,1,0,0,1\n1,1,4,0,5,0,1,1,0,1\n",
		xlogit + "fishing_long.csv":     "choice_id,alternative,choice,income,price,catch\n1,beach,0,7083.3317,157.93,0.0678\n",
	}
	mirror := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, known := published[r.URL.Path]
		if !known {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write([]byte(text)) // the script is gone
	}))
	defer mirror.Close()
	want := map[string]string{
		"swissmetro.csv": "task,alternative,chosen,asc_train,asc_car,time,cost\n" +
			"1,train,0,1,0,1.12,0.48\n1,swissmetro,1,0,0,0.63,0.52\n1,car,0,0,1,1.17,0.65\n" +
			"2,train,1,1,0,0.64,0.0\n2,swissmetro,0,0,0,0.4,0.0\n",
		"electricity.csv": "task,respondent,alternative,chosen,pf,cl,loc,wk,tod,seas\n1,1,1,0,7,5,0,1,0,0\n1,1,4,1,0,5,0,1,1,0\n",
		"fishing.csv":     "task,alternative,chosen,price,catch\n1,beach,0,157.93,0.0678\n",
	}
	arguments := []string{"llm-votes.csv"}
	for file := range want {
		arguments = append(arguments, file)
	}
	if r, err := exec.LookPath("Rscript"); err == nil {
		published["/cran.r-project.org/src/contrib/Archive/logitr/logitr_1.1.2.tar.gz"] = packed(t, r, "yogurt",
			`data.frame(id = 7, obsID = 1, alt = 1:2, choice = c(0, 1), price = c(8.1, 6.5), feat = 0, brand = c("dannon", "hiland"))`)
		want["yogurt.csv"] = "task,respondent,alternative,chosen,price,feat,brand\n1,7,1,0,8.1,0,dannon\n1,7,2,1,6.5,0,hiland\n"
		arguments = append(arguments, "yogurt.csv")
	} else {
		t.Log("without Rscript, data of R packages are not converted")
	}
	folder := t.TempDir()
	arguments = append([]string{"../fetch_data.py", "--mirror", mirror.URL, folder}, arguments...)
	script := exec.CommandContext(t.Context(), python, arguments...) //nolint:gosec // arguments of the test
	said, err := script.CombinedOutput()
	if script.ProcessState.ExitCode() != 1 || !bytes.Contains(said, []byte("llm-votes.csv: <HTTPError 404")) {
		t.Errorf("a missing file: %v: %s", err, said)
	}
	for file, want := range want {
		got, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil || string(got) != want {
			t.Errorf("%s: %v\n%s\nwant\n%s\n%s", file, err, got, want, said)
		}
	}
}

// packed returns the source of an R package with data of a name.
func packed(t *testing.T, r, name, data string) string {
	t.Helper()
	saved := filepath.Join(t.TempDir(), name+".rda")
	save := name + " <- " + data + "; save(" + name + ", file = '" + saved + "')"
	if said, err := exec.CommandContext(t.Context(), r, "--vanilla", "-e", save).CombinedOutput(); err != nil { //nolint:gosec // as above
		t.Fatalf("%v: %s", err, said)
	}
	contents, err := os.ReadFile(saved)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	zipped := gzip.NewWriter(&file)
	archive := tar.NewWriter(zipped)
	header := &tar.Header{Name: "package/data/" + name + ".rda", Mode: 0o600, Size: int64(len(contents))}
	if err := archive.WriteHeader(header); err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Write(contents); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return file.String()
}
