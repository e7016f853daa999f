package read

import (
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// isTime reports whether values are dates or times.
func isTime(t parquet.Type) bool {
	switch meaning(t).(type) {
	case *format.DateType, *format.TimeType, *format.TimestampType:
		return t.Kind() == parquet.Int32 || t.Kind() == parquet.Int64
	default:
		return t.Kind() == parquet.Int96
	}
}

// isoTime is how a date with a time of day is written: in ISO 8601, without the fraction if it is zero.
const isoTime = "2006-01-02T15:04:05.999999999"

// timeText returns a function that writes dates and times of a type in ISO 8601. Times of day have
// no zone.
func timeText(t parquet.Type) func(parquet.Value) string {
	const secondsPerDay = 24 * 60 * 60
	switch m := meaning(t).(type) {
	case *format.DateType:
		return func(v parquet.Value) string {
			return time.Unix(int64(v.Int32())*secondsPerDay, 0).UTC().Format(time.DateOnly)
		}
	case *format.TimeType:
		unit := unitOf(m.Unit)
		return func(v parquet.Value) string {
			count := v.Int64()
			if t.Kind() == parquet.Int32 {
				count = int64(v.Int32())
			}
			return time.Unix(0, 0).UTC().Add(time.Duration(count) * unit).Format("15:04:05.999999999")
		}
	case *format.TimestampType:
		perSecond := int64(time.Second / unitOf(m.Unit))
		return func(v parquet.Value) string {
			count := v.Int64()
			return time.Unix(count/perSecond, count%perSecond*int64(unitOf(m.Unit))).UTC().Format(isoTime)
		}
	default:
		return func(v parquet.Value) string {
			const epoch = 2_440_588 // the Julian day of 1 January 1970
			parts := v.Int96()      // nanoseconds of the day in two words, and the Julian day
			nanoseconds := int64(parts[1])<<32 | int64(parts[0])
			return time.Unix((int64(parts[2])-epoch)*secondsPerDay, nanoseconds).UTC().Format(isoTime)
		}
	}
}

// unitOf returns the unit that times are counted in.
func unitOf(unit format.TimeUnit) time.Duration {
	switch unit.Value.(type) {
	case *format.MilliSeconds:
		return time.Millisecond
	case *format.MicroSeconds:
		return time.Microsecond
	default:
		return time.Nanosecond
	}
}
