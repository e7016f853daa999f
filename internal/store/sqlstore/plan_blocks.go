package sqlstore

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"bestpick/internal/study"
)

// blockPlans is the number of plans in a block, except for the last block of a study.
const blockPlans = 64

// A planBlock has consecutive plans in compact form: lines of JSON, compressed.
type planBlock struct {
	first, last int
	lines       []byte
}

// newPlanBlock returns plans in compact form.
func newPlanBlock(plans []study.Plan) (b planBlock, err error) {
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		return b, err
	}
	lines := json.NewEncoder(w)
	for _, p := range plans {
		if err := lines.Encode(p.Prune()); err != nil {
			return b, err
		}
	}
	err = w.Close()
	return planBlock{plans[0].Number, plans[len(plans)-1].Number, packed.Bytes()}, err
}

// after returns the plans with numbers larger than after, at most limit.
func (b planBlock) after(after, limit int) (plans []study.Plan, err error) {
	r := flate.NewReader(bytes.NewReader(b.lines))
	defer func() { err = errors.Join(err, r.Close()) }()
	lines := json.NewDecoder(r)
	for number := b.first; number <= b.last && len(plans) < limit; number++ {
		var line json.RawMessage
		if err := lines.Decode(&line); err != nil {
			return nil, fmt.Errorf("store: plan %d of a block: %w", number, err)
		}
		if number <= after {
			continue
		}
		var p study.Plan
		if err := json.Unmarshal(line, &p); err != nil {
			return nil, fmt.Errorf("store: plan %d of a block: %w", number, err)
		}
		plans = append(plans, p)
	}
	return plans, nil
}

// packPlans moves plans into blocks of at least the given number of plans. The last plan stays in its row, and plans
// with unclaimed questions, too.
func (s *Store) packPlans(ctx context.Context, id string, p Progress, least int) error {
	for {
		rows, err := s.db.Query(ctx, `
			SELECT `+planColumns+` FROM plans WHERE study = $1 AND number < $2 ORDER BY number LIMIT $3`, p.Study, p.Plans, blockPlans)
		plans, err := Collect(rows, err, scanPlan)
		if err != nil {
			return err
		}
		claimed := 0
		for claimed < len(plans) && int64(plans[claimed].First)+int64(len(plans[claimed].Questions)) <= p.Claimed {
			claimed++
		}
		if claimed < least {
			return nil
		}
		b, err := newPlanBlock(plans[:claimed])
		if err != nil {
			return err
		}
		err = s.replaceRows(ctx, id, claimed, func(tx Querier, _ Progress) (int64, error) {
			return tx.Exec(ctx, `INSERT INTO plan_blocks (study, first, last, plans) VALUES ($1, $2, $3, $4)`, p.Study, b.first, b.last, b.lines)
		}, func(tx Querier, _ Progress) (int64, error) {
			return tx.Exec(ctx, `DELETE FROM plans WHERE study = $1 AND number >= $2 AND number <= $3`, p.Study, b.first, b.last)
		})
		if err != nil {
			return err
		}
	}
}

// packedPlans returns plans in blocks with numbers larger than after, at most limit.
func (s *Store) packedPlans(ctx context.Context, k int64, after, limit int) (plans []study.Plan, err error) {
	for len(plans) < limit {
		var b planBlock
		err := s.db.QueryRow(ctx, `
			SELECT first, last, plans FROM plan_blocks WHERE study = $1 AND last > $2 ORDER BY last LIMIT 1`, k, after).
			Scan(&b.first, &b.last, &b.lines)
		if errors.Is(Found(err), study.ErrNotFound) {
			return plans, nil
		}
		if err != nil {
			return nil, err
		}
		some, err := b.after(after, limit-len(plans))
		if err != nil {
			return nil, err
		}
		plans, after = append(plans, some...), b.last
	}
	return plans, nil
}
