//go:build !amd64

package mem

// The fast paths of this platform: plain Go. Each reduces from the start of d
// until an element needs the element-wise code, and returns how many it did.

func fast32(d, s []float32, op Op) int   { return generic32(d, s, op) }
func fastHalf(d, s []uint16, op Op) int  { return 0 }
func fastBrain(d, s []uint16, op Op) int { return 0 }
