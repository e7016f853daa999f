package study

import (
	"context"
	"slices"
	"sync"

	"bestpick/internal/catalogue/archive"
)

// mostCatalogues is how many catalogues a service keeps in memory.
const mostCatalogues = 64

// An armsCache keeps the catalogues of studies that are asked for often.
type armsCache struct {
	mutex sync.Mutex
	kept  map[string]keptArms // by study
}

// keptArms are those of a study as it was at a version.
type keptArms struct {
	version int
	arms    *archive.Catalogue
	cards   *cardBox
}

// ArmsWith returns the arms of a study, the given ones among them: a question or a plan may know of arms that were
// added after the study was read. They are shared, and must not be changed.
func (s *Service) ArmsWith(ctx context.Context, study Study, named ...int) (*archive.Catalogue, error) {
	arms, err := s.Arms(ctx, study)
	if err != nil || len(named) == 0 || slices.Max(named) < arms.Arms.Len() {
		return arms, err
	}
	if study, err = s.store.Study(ctx, study.ID); err != nil {
		return nil, err
	}
	return s.Arms(ctx, study)
}

// Arms returns the arms of a study as it was read. They are shared, and must not be changed.
func (s *Service) Arms(ctx context.Context, study Study) (*archive.Catalogue, error) {
	if arms := s.arms.get(study); arms != nil {
		return arms, nil
	}
	arms, err := s.Catalogue(ctx, study.ID)
	if err == nil {
		s.arms.put(study, arms)
	}
	return arms, err
}

func (c *armsCache) get(study Study) *archive.Catalogue {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if kept := c.kept[study.ID]; kept.version == study.Version {
		return kept.arms
	}
	return nil
}

// box returns the cards of arms, which are new if the arms are not kept.
func (c *armsCache) box(study Study, arms *archive.Catalogue) *cardBox {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if kept := c.kept[study.ID]; kept.arms == arms {
		return kept.cards
	}
	return &cardBox{study: study.ID, arms: arms}
}

func (c *armsCache) put(study Study, arms *archive.Catalogue) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.kept == nil {
		c.kept = map[string]keptArms{}
	}
	for id := range c.kept {
		if len(c.kept) < mostCatalogues {
			break
		}
		delete(c.kept, id)
	}
	c.kept[study.ID] = keptArms{study.Version, arms, &cardBox{study: study.ID, arms: arms}}
}
