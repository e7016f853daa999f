package postgres

import (
	"errors"
	"testing"
	"time"

	"bestpick/internal/store/sqlstore"
	"bestpick/internal/store/storetest"
)

func TestInspect(t *testing.T) {
	url := server.Database(t)
	report, err := Inspect(t.Context(), url)
	if err != nil || report.Version != 0 || report.Newest != 1 {
		t.Errorf("an empty database: %+v, %v", report, err)
	}
	if apart := time.Since(report.Now); apart < -time.Second || apart > time.Second {
		t.Errorf("the clock of the same machine is %v behind", apart)
	}
	if err := TryWrite(t.Context(), url); err != nil {
		t.Error(err)
	}
	filled := server.Database(t)
	store, err := Open(t.Context(), filled)
	if err != nil {
		t.Fatal(err)
	}
	storetest.Fill(t, store)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	report, err = Inspect(t.Context(), filled)
	if err != nil || report.Version != 1 || report.Studies != 1 || report.Outcomes == 0 || report.Last.IsZero() ||
		report.Bytes == 0 {
		t.Errorf("%+v, %v", report, err)
	}
	if err := TryWrite(t.Context(), filled); err != nil {
		t.Error(err)
	}
	db := openPlainly(t, url)
	if _, err := db.ExecContext(t.Context(), `CREATE TABLE studies (none integer)`); err != nil {
		t.Fatal(err)
	}
	if _, err := Inspect(t.Context(), url); !errors.Is(err, sqlstore.ErrForeign) {
		t.Errorf("another one: %v", err)
	}
	if err := TryWrite(t.Context(), url+"&options=-c%20default_transaction_read_only%3Don"); err == nil {
		t.Error("it was written, and must not be")
	}
}
