package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"bestpick/wire"
)

// A File is a file to upload. The extension of its name determines the format.
type File struct {
	Name     string
	Contents io.Reader

	// Sheet is the name of the sheet of an .xlsx. Defaults to the first.
	Sheet string
}

// A NewStudy describes a study to create.
type NewStudy struct {
	Name      string
	Prompt    string
	Settings  wire.Settings
	Catalogue File
	IDs       *File        // ids of the rows of a .npy file
	Columns   wire.Columns // how to read columns that are recognised wrongly

	// Dimensions is the number of dimensions that embeddings are reduced to. Defaults to 16.
	Dimensions int
}

// Create creates a study, as a draft.
func (c *Client) Create(ctx context.Context, n NewStudy) (wire.Created, error) {
	settings, err := json.Marshal(n.Settings)
	if err != nil {
		return wire.Created{}, err
	}
	columns, err := json.Marshal(n.Columns)
	if err != nil {
		return wire.Created{}, err
	}
	fields := map[string]string{
		"name": n.Name, "prompt": n.Prompt, "settings": string(settings), "columns": string(columns),
		"dimensions": strconv.Itoa(n.Dimensions),
	}
	return upload[wire.Created](
		ctx, c, request{method: http.MethodPost, path: "/studies"}, inSheet(fields, n.Catalogue), arms(n.Catalogue, n.IDs),
	)
}

// SetContexts sets the texts of a draft's arms in contexts: a table with the columns arm, context and
// text. The format is plain or markdown. Version 0 matches any.
func (c *Client) SetContexts(ctx context.Context, study string, version int, texts File, format string) (wire.Contexts, error) {
	return upload[wire.Contexts](
		ctx, c, request{method: http.MethodPut, path: at(study, "contexts"), version: version},
		map[string]string{"format": format}, map[string]File{"texts": texts},
	)
}

// SetPrior sets recorded choices as the prior of a draft: answers as an export has them. Version 0
// matches any.
func (c *Client) SetPrior(ctx context.Context, study string, version int, answers File) (wire.Prior, error) {
	return upload[wire.Prior](
		ctx, c, request{method: http.MethodPut, path: at(study, "prior"), version: version}, nil, map[string]File{"answers": answers},
	)
}

// RemovePrior removes the prior of a draft, in any version.
func (c *Client) RemovePrior(ctx context.Context, study string) (changed wire.Study, err error) {
	err = c.call(ctx, request{method: http.MethodDelete, path: at(study, "prior")}, &changed)
	return changed, err
}

// AddArms adds arms to a study that has the given version. Version 0 matches any.
func (c *Client) AddArms(ctx context.Context, study string, version int, catalogue File, ids *File) (wire.Created, error) {
	return upload[wire.Created](
		ctx, c, request{method: http.MethodPost, path: at(study, "arms"), version: version},
		inSheet(nil, catalogue), arms(catalogue, ids),
	)
}

// ReplaceArms replaces the arms of a draft that has the given version.
func (c *Client) ReplaceArms(ctx context.Context, study string, version int, catalogue File, ids *File) (wire.Created, error) {
	return upload[wire.Created](
		ctx, c, request{method: http.MethodPut, path: at(study, "arms"), version: version},
		inSheet(nil, catalogue), arms(catalogue, ids),
	)
}

// Import adds answers that were recorded elsewhere. The batch name defaults to a hash of the
// answers.
func (c *Client) Import(ctx context.Context, study, batch string, answers File) (wire.Imported, error) {
	fields := map[string]string{}
	if batch != "" {
		fields["batch"] = batch
	}
	return upload[wire.Imported](
		ctx, c, request{method: http.MethodPost, path: at(study, "import")}, fields, map[string]File{"answers": answers},
	)
}

// inSheet adds the sheet of a file to the fields of a form.
func inSheet(fields map[string]string, file File) map[string]string {
	if file.Sheet == "" {
		return fields
	}
	if fields == nil {
		fields = map[string]string{}
	}
	fields["sheet"] = file.Sheet
	return fields
}

func arms(catalogue File, ids *File) map[string]File {
	files := map[string]File{"catalogue": catalogue}
	if ids != nil {
		files["ids"] = *ids
	}
	return files
}

// upload sends a multipart form.
func upload[T any](
	ctx context.Context, c *Client, r request, fields map[string]string, files map[string]File,
) (reply T, err error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range fields {
		if err := form.WriteField(name, value); err != nil {
			return reply, err
		}
	}
	for name, file := range files {
		part, err := form.CreateFormFile(name, file.Name)
		if err != nil {
			return reply, err
		}
		if _, err := io.Copy(part, file.Contents); err != nil {
			return reply, err
		}
	}
	if err := form.Close(); err != nil {
		return reply, err
	}
	r.kind, r.body = form.FormDataContentType(), &body
	return send[T](ctx, c, r)
}

// Study reads a study.
func (c *Client) Study(ctx context.Context, id string) (wire.Study, error) {
	return get[wire.Study](ctx, c, at(id))
}

// Studies reads a page of the list of studies. An empty cursor reads the first page.
func (c *Client) Studies(ctx context.Context, cursor string) (wire.Studies, error) {
	return getPage[wire.Studies](ctx, c, "/studies", cursor)
}

// Arms reads a page of the list of arms. An empty cursor reads the first page.
func (c *Client) Arms(ctx context.Context, study, cursor string) (wire.Arms, error) {
	return getPage[wire.Arms](ctx, c, at(study, "arms"), cursor)
}

// Change changes a study that has the given version. Another version returns [wire.Changed]. Zero fields, also of the
// settings, stay the same: new(0) as the budget and new(time.Time) as the deadline remove a limit.
func (c *Client) Change(ctx context.Context, id string, version int, change wire.Change) (wire.Study, error) {
	return send[wire.Study](ctx, c, request{method: http.MethodPatch, path: at(id), version: version, in: change})
}

// Open opens a study in any version.
func (c *Client) Open(ctx context.Context, id string) (wire.Study, error) {
	return c.move(ctx, id, "open")
}

// Pause pauses a study in any version.
func (c *Client) Pause(ctx context.Context, id string) (wire.Study, error) {
	return c.move(ctx, id, "pause")
}

// Close closes a study for good, in any version.
func (c *Client) Close(ctx context.Context, id string) (wire.Study, error) {
	return c.move(ctx, id, "close")
}

func (c *Client) move(ctx context.Context, id, verb string) (wire.Study, error) {
	return post[wire.Study](ctx, c, at(id, verb), nil)
}

// Withdraw withdraws an arm, in any version of the study.
func (c *Client) Withdraw(ctx context.Context, study, arm string) (wire.Study, error) {
	return post[wire.Study](ctx, c, at(study, "withdrawals"), wire.Withdrawal{Arm: arm})
}

// Exclude excludes a respondent by hand, in any version of the study: a verdict is certified only if it holds with and
// without them. It is idempotent.
func (c *Client) Exclude(ctx context.Context, study, respondent string) (wire.Study, error) {
	return post[wire.Study](ctx, c, at(study, "exclusions"), wire.Exclude{Respondent: respondent})
}

// Erase deletes the data of a respondent. It is idempotent.
func (c *Client) Erase(ctx context.Context, study, respondent string) (wire.Erased, error) {
	return post[wire.Erased](ctx, c, at(study, "erasures"), wire.Erase{Respondent: respondent})
}

// Delete deletes a study with all its answers.
func (c *Client) Delete(ctx context.Context, id string) error {
	return c.call(ctx, request{method: http.MethodDelete, path: at(id)}, nil)
}

// Verdict reads the current verdict of a study.
func (c *Client) Verdict(ctx context.Context, study string) (wire.Verdict, error) {
	return get[wire.Verdict](ctx, c, at(study, "verdict"))
}

// Contenders reads the arms that may still be better than the leader.
func (c *Client) Contenders(ctx context.Context, study string) (wire.Contenders, error) {
	return get[wire.Contenders](ctx, c, at(study, "contenders"))
}

// Leaderboard reads the ranks of the arms, none where the verdict has no leaderboard.
func (c *Client) Leaderboard(ctx context.Context, study string) (wire.Leaderboard, error) {
	return get[wire.Leaderboard](ctx, c, at(study, "leaderboard"))
}

// Judges compares the respondents of a study with one another.
func (c *Client) Judges(ctx context.Context, study string) (wire.Judges, error) {
	return get[wire.Judges](ctx, c, at(study, "judges"))
}

// Export writes a file of a study to w: what is log, answers, arms or leaderboard. Answers and arms have the
// format csv, jsonl or parquet.
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

// SetWebhook sets the URL that receives the verdict when the study is done. Only this reply
// contains the signing secret.
func (c *Client) SetWebhook(ctx context.Context, study, url string) (wire.CreatedWebhook, error) {
	return send[wire.CreatedWebhook](
		ctx, c, request{method: http.MethodPut, path: at(study, "webhook"), in: wire.NewWebhook{URL: url}},
	)
}

// Webhook reads the URL of the webhook and the state of its delivery.
func (c *Client) Webhook(ctx context.Context, study string) (wire.Webhook, error) {
	return get[wire.Webhook](ctx, c, at(study, "webhook"))
}

// DeleteWebhook deletes the webhook.
func (c *Client) DeleteWebhook(ctx context.Context, study string) error {
	return c.call(ctx, request{method: http.MethodDelete, path: at(study, "webhook")}, nil)
}

// Tokens lists all tokens, sorted by name.
func (c *Client) Tokens(ctx context.Context) ([]wire.AccessToken, error) {
	list, err := get[wire.AccessTokens](ctx, c, "/tokens")
	return list.Tokens, err
}

// CreateToken creates a token with the role owner or viewer. Only this reply contains its secret.
func (c *Client) CreateToken(ctx context.Context, name, role string) (wire.CreatedToken, error) {
	return post[wire.CreatedToken](ctx, c, "/tokens", wire.NewToken{Name: name, Role: role})
}

// Invite creates an invitation, or a token, as described. Only this reply contains its link or secret.
func (c *Client) Invite(ctx context.Context, t wire.NewToken) (wire.CreatedToken, error) {
	return post[wire.CreatedToken](ctx, c, "/tokens", t)
}

// RevokeToken revokes the token with a name.
func (c *Client) RevokeToken(ctx context.Context, name string) error {
	return c.tell(ctx, "/revocations", wire.Revocation{Name: name})
}

// PublicKey reads the key that verifies the server's exported logs. It needs no token.
func (c *Client) PublicKey(ctx context.Context) (string, error) {
	key, err := get[wire.PublicKey](ctx, c, "/public-key")
	return key.PublicKey, err
}

// Audit reads a page of the audit log, newest entries first. An empty cursor reads the first page.
func (c *Client) Audit(ctx context.Context, cursor string) (wire.Audit, error) {
	return getPage[wire.Audit](ctx, c, "/audit", cursor)
}

// Events iterates over the verdicts of a study: the current one first, then each change. It ends
// with an error, or without one when the server stops.
func (c *Client) Events(ctx context.Context, study string) iter.Seq2[wire.Verdict, error] {
	return func(yield func(wire.Verdict, error) bool) {
		reply, err := c.do(ctx, request{method: http.MethodGet, path: at(study, "events")})
		if err != nil {
			yield(wire.Verdict{}, err)
			return
		}
		defer finish(reply)
		const longest = 16 << 20
		lines := bufio.NewScanner(reply.Body)
		lines.Buffer(nil, longest)
		var event string
		var data []string
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ":")
			value = strings.TrimPrefix(value, " ")
			switch {
			case name == "event":
				event = value
			case name == "data":
				data = append(data, value)
			case lines.Text() == "" && data != nil:
				verdict, err := readEvent(event, strings.Join(data, "\n"))
				if !yield(verdict, err) || err != nil {
					return
				}
				event, data = "", nil
			}
		}
		if err := lines.Err(); err != nil {
			yield(wire.Verdict{}, err)
		}
	}
}

func readEvent(event, data string) (v wire.Verdict, err error) {
	if event == "problem" {
		problem := &Error{}
		if err := json.Unmarshal([]byte(data), &problem.Problem); err != nil {
			return v, err
		}
		return v, problem
	}
	return v, json.Unmarshal([]byte(data), &v)
}
