package sqlstore

import (
	"context"
	"encoding/binary"
	"errors"

	"bestpick/internal/study"
)

// BlockBits is the number of bits of a position that count within a block of questions.
const BlockBits = 6

const blockQuestions = 1 << BlockBits

// A settled question has a standing outcome that a plan has counted, so that it never gets another one.
type settled struct{ position, number int64 }

func scanSettled(row Row) (q settled, err error) {
	err = row.Scan(&q.position, &q.number)
	return q, err
}

// packQuestions moves settled questions into blocks, where all questions of a block are settled.
func (s *Store) packQuestions(ctx context.Context, id string, p Progress) error {
	const page = 64 * blockQuestions
	for from := int64(0); ; {
		rows, err := s.db.Query(ctx, `
			SELECT position, number FROM questions
			WHERE study = $1 AND position >= $2 AND number <= $3 AND NOT (`+s.d.Open+`) ORDER BY position LIMIT $4`,
			p.Study, from, p.Told, page)
		list, err := Collect(rows, err, scanSettled)
		if err != nil {
			return err
		}
		blocks := wholeBlocks(list)
		for _, b := range blocks {
			if err := s.packBlock(ctx, id, b); err != nil {
				return err
			}
		}
		if len(list) < page {
			return nil
		}
		last := list[len(list)-1].position
		if from = last >> BlockBits << BlockBits; len(blocks) == 0 {
			from = last + 1
		}
	}
}

// wholeBlocks returns the questions of blocks of which all are in the list.
func wholeBlocks(list []settled) (blocks [][]settled) {
	for start := 0; start+blockQuestions <= len(list); {
		first, end := list[start].position, start+blockQuestions
		if first%blockQuestions == 0 && list[end-1].position == first+blockQuestions-1 {
			blocks = append(blocks, list[start:end])
			start = end
		} else {
			start++
		}
	}
	return blocks
}

// packBlock moves the questions of a block.
func (s *Store) packBlock(ctx context.Context, id string, questions []settled) error {
	first := questions[0].position
	return s.replaceRows(ctx, id, len(questions), func(tx Querier, p Progress) (int64, error) {
		return tx.Exec(ctx, `INSERT INTO question_blocks (study, block, numbers) VALUES ($1, $2, $3)`, p.Study, first>>BlockBits, encodeNumbers(questions))
	}, func(tx Querier, p Progress) (int64, error) {
		return tx.Exec(ctx, `
			DELETE FROM questions WHERE study = $1 AND position >= $2 AND position < $3 AND number <= $4 AND NOT (`+s.d.Open+`)`,
			p.Study, first, first+blockQuestions, p.Told)
	})
}

// encodeNumbers returns the numbers of outcomes as varints, each less the one before.
func encodeNumbers(questions []settled) (numbers []byte) {
	before := int64(0)
	for _, q := range questions {
		numbers = binary.AppendVarint(numbers, q.number-before)
		before = q.number
	}
	return numbers
}

// decodeNumber returns the number at an index of encoded ones.
func decodeNumber(numbers []byte, index int64) (number int64, err error) {
	for range index + 1 {
		step, length := binary.Varint(numbers)
		if length <= 0 {
			return 0, errors.New("store: a block of questions is damaged")
		}
		number, numbers = number+step, numbers[length:]
	}
	return number, nil
}

// atInBlock returns the outcome of a question in a block.
func (s *Store) atInBlock(ctx context.Context, id string, position study.Position) (study.Outcome, error) {
	k, err := s.Key(ctx, id)
	if err != nil {
		return study.Outcome{}, err
	}
	var numbers []byte
	err = s.db.QueryRow(ctx, `SELECT numbers FROM question_blocks WHERE study = $1 AND block = $2`, k, int64(position)>>BlockBits).Scan(&numbers)
	if err != nil {
		return study.Outcome{}, Found(err)
	}
	number, err := decodeNumber(numbers, int64(position)%blockQuestions)
	if err != nil {
		return study.Outcome{}, err
	}
	return scanOutcome(s.db.QueryRow(ctx, `SELECT `+OutcomeColumns+` FROM outcomes WHERE study = $1 AND number = $2`, k, number))
}
