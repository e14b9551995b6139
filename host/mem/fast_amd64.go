package mem

// The fast paths of amd64. Each reduces whole groups from the start of d until a
// group needs the element-wise code, and returns how many elements it did. SSE2
// is always there; the half floats need F16C.

func fast32(d, s []float32, op Op) int {
	n := len(d) / group
	if n == 0 {
		return 0
	}
	switch op {
	case Sum:
		n = addSingles(&d[0], &s[0], n)
	case Prod:
		n = mulSingles(&d[0], &s[0], n)
	case Max:
		n = maxSingles(&d[0], &s[0], n)
	case Min:
		n = minSingles(&d[0], &s[0], n)
	}
	return n * group
}

func fastHalf(d, s []uint16, op Op) int {
	n := len(d) / group
	if n == 0 || op != Sum || !hasF16C {
		return 0
	}
	return addHalves(&d[0], &s[0], n) * group
}

func fastBrain(d, s []uint16, op Op) int {
	n := len(d) / group
	if n == 0 || op != Sum {
		return 0
	}
	return addBrains(&d[0], &s[0], n) * group
}

// hasF16C tells whether processor and system have AVX and the half conversions.
var hasF16C = func() bool {
	const f16c, avx, osxsave = 1 << 29, 1 << 28, 1 << 27
	return cpuFeatures()&(f16c|avx|osxsave) == f16c|avx|osxsave && enabledState()&6 == 6
}()

// addSingles and its sisters do groups of 16 elements and return how many groups.

//go:noescape
func addSingles(dst, src *float32, groups int) int

//go:noescape
func mulSingles(dst, src *float32, groups int) int

//go:noescape
func maxSingles(dst, src *float32, groups int) int

//go:noescape
func minSingles(dst, src *float32, groups int) int

//go:noescape
func addHalves(dst, src *uint16, groups int) int

//go:noescape
func addBrains(dst, src *uint16, groups int) int

// cpuFeatures is ECX of CPUID leaf 1; enabledState is XCR0, asked only with OSXSAVE.
func cpuFeatures() uint32
func enabledState() uint32
