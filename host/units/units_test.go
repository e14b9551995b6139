package units

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"hsim/host/sim"
)

func TestParse(t *testing.T) {
	for s, want := range map[string]int64{"4096": 4096, "64MiB": 64 << 20, "8K": 8192, "1.5GB": 1_500_000_000, " 1 KiB ": 1024, "0": 0} {
		got, err := ParseSize(s)
		require.NoError(t, err, s)
		require.Equal(t, want, got, s)
	}
	for s, want := range map[string]Rate{"400Gbps": 400 * Gbps, "56GB/s": 56 * GBps, "1bps": 1, "47.6GiB/s": 408_893_885_644} {
		got, err := ParseRate(s)
		if s == "47.6GiB/s" { // 408 893 885 644.8 bit/s: not whole, refused
			require.Error(t, err)
			continue
		}
		require.NoError(t, err, s)
		require.Equal(t, want, got, s)
	}
	for s, want := range map[string]sim.Time{"1.5us": 1_500_000, "2h": 7200 * sim.Second, "0": 0, "4.096us": 4_096_000, "1ps": 1} {
		got, err := ParseTime(s)
		require.NoError(t, err, s)
		require.Equal(t, want, got, s)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, s := range []string{"", "MiB", "12QiB", "1..2K", ".", "-1", "1.0001B", "99999999999999999999", "9000000TiB", "1e9", "0x10", "400Gbps"} {
		_, err := ParseSize(s)
		require.Error(t, err, s)
	}
	_, err := ParseRate("400Gb")
	require.ErrorContains(t, err, `units: rate "400Gb": got unit "Gb", want a rate such as 400Gbps or 56GB/s`)
	_, err = ParseTime("5")
	require.ErrorContains(t, err, "want a time such as")
}

func TestRateTimeIsExactAndRoundsUp(t *testing.T) {
	require.Equal(t, sim.Time(81920), Rate(400*Gbps).Time(4096))
	require.Equal(t, sim.Time(36), Rate(224*Gbps).Time(1)) // 35.71 ps
	require.Equal(t, sim.Time(0), Rate(0).Time(1<<40))
	require.Equal(t, sim.Forever, Rate(1).Time(1<<62))
	for _, r := range []Rate{1, 7, 224 * Gbps, 999_999_999_937} {
		for _, n := range []int64{1, 4096, 8_947_849, 1 << 40} {
			want := new(big.Int).Mul(big.NewInt(n), big.NewInt(8_000_000_000_000))
			want.Add(want, big.NewInt(int64(r)-1)).Div(want, big.NewInt(int64(r)))
			if want.IsInt64() {
				require.Equal(t, want.Int64(), int64(r.Time(n)), "%v %d", r, n)
			}
		}
	}
	require.Equal(t, int64(4096), Rate(400*Gbps).Bytes(81920))
	require.Equal(t, 332*Gbps, Rate(400*Gbps).Scale(830))
}

func TestFormat(t *testing.T) {
	require.Equal(t, "64MiB", FormatSize(64<<20))
	require.Equal(t, "8947849B", FormatSize(8_947_849))
	require.Equal(t, "400Gbps", FormatRate(400*Gbps))
	require.Equal(t, "1.5Tbps", FormatRate(1500*Gbps))
	require.Equal(t, "0B", FormatSize(0))
}

func FuzzParse(f *testing.F) {
	f.Add("64MiB")
	f.Add("1.5us")
	f.Fuzz(func(t *testing.T, s string) {
		if n, err := ParseSize(s); err == nil {
			back, err := ParseSize(FormatSize(n))
			require.NoError(t, err)
			require.Equal(t, n, back)
		}
		if r, err := ParseRate(s); err == nil {
			back, err := ParseRate(FormatRate(r))
			require.NoError(t, err)
			require.Equal(t, r, back)
		}
		if d, err := ParseTime(s); err == nil {
			back, err := ParseTime(FormatTime(d))
			require.NoError(t, err)
			require.Equal(t, d, back)
		}
	})
}
