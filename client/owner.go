package client

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"

	"bestpick/wire"
)

// A File is a file to upload. The extension of its name determines the format.
type File struct {
	Name     string
	Contents io.Reader
}

// A NewStudy is a study to be created.
type NewStudy struct {
	Name      string
	Prompt    string
	Settings  wire.Settings
	Catalogue File
	IDs       *File        // of the rows of a .npy
	Columns   wire.Columns // how to read columns that are recognised wrongly

	// Dimensions is the number of dimensions that embeddings are reduced to. Defaults to 16.
	Dimensions int
}

// Create creates a study, as a draft.
func (c *Client) Create(ctx context.Context, n NewStudy) (created wire.Created, err error) {
	settings, err := json.Marshal(n.Settings)
	if err != nil {
		return created, err
	}
	columns, err := json.Marshal(n.Columns)
	if err != nil {
		return created, err
	}
	fields := map[string]string{"name": n.Name, "prompt": n.Prompt, "settings": string(settings), "columns": string(columns), "dimensions": strconv.Itoa(n.Dimensions)}
	err = c.upload(ctx, request{method: http.MethodPost, path: "/studies"}, fields, arms(n.Catalogue, n.IDs), &created)
	return created, err
}

// AddArms adds arms to a study, whatever its version if that is 0.
func (c *Client) AddArms(ctx context.Context, study string, version int, catalogue File, ids *File) (changed wire.Created, err error) {
	err = c.upload(ctx, request{method: http.MethodPost, path: at(study, "arms"), version: version}, nil, arms(catalogue, ids), &changed)
	return changed, err
}

// ReplaceArms replaces the arms of a draft that has the given version.
func (c *Client) ReplaceArms(ctx context.Context, study string, version int, catalogue File, ids *File) (changed wire.Created, err error) {
	err = c.upload(ctx, request{method: http.MethodPut, path: at(study, "arms"), version: version}, nil, arms(catalogue, ids), &changed)
	return changed, err
}

// Import adds answers that were recorded elsewhere. The name of the batch defaults to a hash of the answers.
func (c *Client) Import(ctx context.Context, study, batch string, answers File) (done wire.Imported, err error) {
	fields := map[string]string{}
	if batch != "" {
		fields["batch"] = batch
	}
	err = c.upload(ctx, request{method: http.MethodPost, path: at(study, "import")}, fields, map[string]File{"answers": answers}, &done)
	return done, err
}

func arms(catalogue File, ids *File) map[string]File {
	files := map[string]File{"catalogue": catalogue}
	if ids != nil {
		files["ids"] = *ids
	}
	return files
}

// upload sends a form.
func (c *Client) upload(ctx context.Context, r request, fields map[string]string, files map[string]File, out any) error {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range fields {
		if err := form.WriteField(name, value); err != nil {
			return err
		}
	}
	for name, file := range files {
		part, err := form.CreateFormFile(name, file.Name)
		if err != nil {
			return err
		}
		if _, err := io.Copy(part, file.Contents); err != nil {
			return err
		}
	}
	if err := form.Close(); err != nil {
		return err
	}
	r.kind, r.body = form.FormDataContentType(), &body
	return c.call(ctx, r, out)
}

// Study reads a study.
func (c *Client) Study(ctx context.Context, id string) (s wire.Study, err error) {
	err = c.call(ctx, request{method: http.MethodGet, path: at(id)}, &s)
	return s, err
}

// Studies reads a page of the list of studies, the first one without a cursor.
func (c *Client) Studies(ctx context.Context, cursor string) (page wire.Studies, err error) {
	err = c.call(ctx, request{method: http.MethodGet, path: "/studies", query: pageAt(cursor)}, &page)
	return page, err
}

// Arms reads a page of the list of arms, the first one without a cursor.
func (c *Client) Arms(ctx context.Context, study, cursor string) (page wire.Arms, err error) {
	err = c.call(ctx, request{method: http.MethodGet, path: at(study, "arms"), query: pageAt(cursor)}, &page)
	return page, err
}

func pageAt(cursor string) url.Values {
	if cursor == "" {
		return nil
	}
	return url.Values{"cursor": {cursor}}
}

// Change changes a study that has the given version.
func (c *Client) Change(ctx context.Context, id string, version int, change wire.Change) (s wire.Study, err error) {
	text, err := json.Marshal(change)
	if err != nil {
		return s, err
	}
	err = c.call(ctx, request{method: http.MethodPatch, path: at(id), version: version, kind: jsonType, body: bytes.NewReader(text)}, &s)
	return s, err
}

// Open opens a study, whatever its version.
func (c *Client) Open(ctx context.Context, id string) (wire.Study, error) {
	return c.move(ctx, id, "open")
}

// Pause pauses a study, whatever its version.
func (c *Client) Pause(ctx context.Context, id string) (wire.Study, error) {
	return c.move(ctx, id, "pause")
}

// Close closes a study for good, whatever its version.
func (c *Client) Close(ctx context.Context, id string) (wire.Study, error) {
	return c.move(ctx, id, "close")
}

func (c *Client) move(ctx context.Context, id, verb string) (s wire.Study, err error) {
	err = c.call(ctx, request{method: http.MethodPost, path: at(id, verb)}, &s)
	return s, err
}

// Withdraw withdraws an arm, whatever the study's version.
func (c *Client) Withdraw(ctx context.Context, study, arm string) (s wire.Study, err error) {
	err = c.post(ctx, at(study, "withdrawals"), wire.Withdrawal{Arm: arm}, &s)
	return s, err
}

// Erase deletes the data of a respondent. It is idempotent.
func (c *Client) Erase(ctx context.Context, study, respondent string) (done wire.Erased, err error) {
	err = c.post(ctx, at(study, "erasures"), wire.Erase{Respondent: respondent}, &done)
	return done, err
}

// Delete deletes a study with all its answers.
func (c *Client) Delete(ctx context.Context, id string) error {
	return c.call(ctx, request{method: http.MethodDelete, path: at(id)}, nil)
}

// Verdict reads the current verdict of a study.
func (c *Client) Verdict(ctx context.Context, study string) (v wire.Verdict, err error) {
	err = c.call(ctx, request{method: http.MethodGet, path: at(study, "verdict")}, &v)
	return v, err
}

// Contenders reads the arms that may still be better than the leader.
func (c *Client) Contenders(ctx context.Context, study string) (list wire.Contenders, err error) {
	err = c.call(ctx, request{method: http.MethodGet, path: at(study, "contenders")}, &list)
	return list, err
}

// Export writes a file of a study: log, answers or arms, the last two as csv, jsonl or parquet.
func (c *Client) Export(ctx context.Context, study, what, format string, w io.Writer) error {
	r := request{method: http.MethodGet, path: at(study, "export", url.PathEscape(what))}
	if format != "" {
		r.query = url.Values{"format": {format}}
	}
	reply, err := c.do(ctx, r)
	if err != nil {
		return err
	}
	defer finish(reply)
	_, err = io.Copy(w, reply.Body)
	return err
}

// SetWebhook sets the URL that receives the verdict when the study is done. Only this reply contains the
// secret of the signatures.
func (c *Client) SetWebhook(ctx context.Context, study, url string) (created wire.CreatedWebhook, err error) {
	text, err := json.Marshal(wire.NewWebhook{URL: url})
	if err != nil {
		return created, err
	}
	err = c.call(ctx, request{method: http.MethodPut, path: at(study, "webhook"), kind: jsonType, body: bytes.NewReader(text)}, &created)
	return created, err
}

// Webhook reads the URL of the webhook, and the state of its delivery.
func (c *Client) Webhook(ctx context.Context, study string) (w wire.Webhook, err error) {
	err = c.call(ctx, request{method: http.MethodGet, path: at(study, "webhook")}, &w)
	return w, err
}

// DeleteWebhook deletes the webhook.
func (c *Client) DeleteWebhook(ctx context.Context, study string) error {
	return c.call(ctx, request{method: http.MethodDelete, path: at(study, "webhook")}, nil)
}
