package guest

import (
	"math"

	"hsim/host/acl"
)

var streamAnswers = map[string]answer{
	"aclrtCreateStream": func(c call) uint32 {
		if !c.out(0, 4) {
			return c.noOut(0)
		}
		s, err := c.t.acl.CreateStream()
		if err != nil {
			return c.code(err)
		}
		return c.set(0, uint32(acl.HandleOf(c.t.p.acl, s)))
	},
	"aclrtCreateStreamWithConfig": func(c call) uint32 {
		if !c.out(0, 4) {
			return c.noOut(0)
		}
		s, err := c.t.acl.CreateStreamWithConfig(c.u32(1), c.u32(2))
		if err != nil {
			return c.code(err)
		}
		return c.set(0, uint32(acl.HandleOf(c.t.p.acl, s)))
	},
	"aclrtCreateStreamV2": func(c call) uint32 {
		if !c.out(0, 4) {
			return c.noOut(0)
		}
		var cfg acl.StreamConfig
		if at := c.u32(1); at != 0 {
			if !c.t.p.isStreamConfig(at) {
				return c.bad(acl.ParamInvalid, "handle %#x is no live configuration", at)
			}
			cfg = acl.StreamConfig{Work: c.t.p.addr(c.word(at+4), 1), WorkSize: int64(c.word(at + 8)), Flags: c.word(at + 12), Priority: c.word(at + 16)}
		}
		s, err := c.t.acl.CreateStreamV2(cfg)
		if err != nil {
			return c.code(err)
		}
		return c.set(0, uint32(acl.HandleOf(c.t.p.acl, s)))
	},
	"aclrtCreateStreamConfigHandle": func(c call) uint32 {
		at, ok := c.t.p.heap.alloc(streamConfigSize)
		if !ok {
			return 0
		}
		clear(c.bytes(at, streamConfigSize))
		c.putWord(at, streamConfigMark)
		return at
	},
	"aclrtSetStreamConfigOpt": func(c call) uint32 {
		at, attr := c.u32(0), c.u32(1)
		switch {
		case !c.t.p.isStreamConfig(at):
			return c.bad(acl.ParamInvalid, "handle %#x is no live configuration", at)
		case attr < 1 || attr > 4 || c.u32(3) != 4:
			return c.bad(acl.ParamInvalid, "got attribute %d of %d bytes, want 1 to 4 with 4 bytes", attr, c.u32(3))
		case c.bytes(c.u32(2), 4) == nil:
			return c.noOut(2)
		}
		c.putWord(at+4*attr, c.word(c.u32(2)))
		return 0
	},
	"aclrtDestroyStreamConfigHandle": func(c call) uint32 {
		at := c.u32(0)
		if !c.t.p.isStreamConfig(at) {
			return c.bad(acl.ParamInvalid, "handle %#x is no live configuration", at)
		}
		c.putWord(at, 0)
		c.t.p.heap.free(at)
		return 0
	},
	"aclrtDestroyStream":      func(c call) uint32 { return c.code(c.t.acl.DestroyStream(c.stream(0))) },
	"aclrtDestroyStreamForce": func(c call) uint32 { return c.code(c.t.acl.DestroyStreamForce(c.stream(0))) },
	"aclrtSynchronizeStream":  func(c call) uint32 { return c.code(c.t.acl.SynchronizeStream(c.stream(0))) },
	"aclrtSynchronizeStreamWithTimeout": func(c call) uint32 {
		return c.timed(c.i32(1), func() error { return c.t.acl.SynchronizeStreamWithTimeout(c.stream(0), c.i32(1)) })
	},
	"aclrtStreamQuery": func(c call) uint32 {
		c.t.spins()
		return c.flag(1, func() (bool, error) {
			done, err := c.t.acl.QueryStream(c.stream(0))
			return !done, err
		})
	},
	"aclrtStreamStop": func(c call) uint32 { return c.code(c.t.acl.StopStream(c.stream(0))) },
	"aclrtActiveStream": func(c call) uint32 {
		if _, err := c.t.acl.CheckStream(c.name, c.stream(1)); err != nil {
			return c.code(err)
		}
		return c.code(c.t.acl.ActivateStream(c.stream(0)))
	},
	"aclrtStreamAbort": func(c call) uint32 { return c.code(c.t.acl.AbortStream(c.stream(0))) },
	"aclrtSetStreamAttribute": func(c call) uint32 {
		at := c.u32(2)
		if c.bytes(at, attrValueSize) == nil {
			return c.noOut(2)
		}
		value := c.word(at)
		if acl.StreamAttr(c.i32(1)) == acl.AttrFailureMode {
			value = uint32(min(c.long(at), math.MaxUint32))
		}
		return c.code(c.t.acl.SetStreamAttribute(c.stream(0), acl.StreamAttr(c.i32(1)), value))
	},
	"aclrtGetStreamAttribute": func(c call) uint32 {
		if !c.out(2, attrValueSize) {
			return c.noOut(2)
		}
		v, err := c.t.acl.GetStreamAttribute(c.stream(0), acl.StreamAttr(c.i32(1)))
		if err != nil {
			return c.code(err)
		}
		return c.set64(2, uint64(v))
	},
	"aclrtSetStreamFailureMode": func(c call) uint32 {
		return c.code(c.t.acl.SetStreamFailureMode(c.stream(0), c.flags(1)))
	},
	"aclrtSetStreamOverflowSwitch": func(c call) uint32 {
		return c.code(c.t.acl.SetStreamOverflowSwitch(c.stream(0), c.u32(1)))
	},
	"aclrtGetStreamOverflowSwitch": func(c call) uint32 {
		return c.number(1, func() (int, error) {
			v, err := c.t.acl.GetStreamAttribute(c.stream(0), acl.AttrOverflowCheck)
			return int(v), err
		})
	},
	"aclrtGetStreamAvailableNum": func(c call) uint32 { return c.number(0, c.t.acl.GetStreamAvailableNum) },
	"aclrtStreamGetId": func(c call) uint32 {
		return c.ofStream(1, func(s *acl.Stream) int { return s.ID() })
	},
	"aclrtStreamGetPriority": func(c call) uint32 {
		return c.ofStream(1, func(s *acl.Stream) int { return s.Priority() })
	},
	"aclrtStreamGetFlags": func(c call) uint32 {
		return c.ofStream(1, func(s *acl.Stream) int { return int(s.Flags()) })
	},
}

// A configuration of streams is a mark and its four options in memory that the host handed out: work area, its size, flags,
// priority.
const (
	streamConfigSize = 20
	streamConfigMark = 0x73636667
)

func (p *Process) isStreamConfig(at uint32) bool {
	return p.heap.used[at] >= streamConfigSize && call{t: &thread{p: p}}.word(at) == streamConfigMark
}

// attrValueSize is the size of aclrtStreamAttrValue.
const attrValueSize = 16

// ofStream answers with a fact of a stream that the runtime accepts.
func (c call) ofStream(out int, f func(s *acl.Stream) int) uint32 {
	return c.number(out, func() (int, error) {
		s := c.stream(0)
		if _, err := c.t.acl.QueryStream(s); err != nil {
			return 0, err
		}
		if s == nil {
			s = c.t.acl.Current().DefaultStream()
		}
		return f(s), nil
	})
}

var captureAnswers = map[string]answer{
	"aclmdlRICaptureBegin": func(c call) uint32 {
		return c.code(c.t.acl.RICaptureBegin(c.stream(0), acl.CaptureMode(c.i32(1))))
	},
	"aclmdlRICaptureGetInfo": func(c call) uint32 {
		for i := 1; i <= 2; i++ {
			if !c.out(i, 4) {
				return c.noOut(i)
			}
		}
		status, m, err := c.t.acl.RICaptureGetInfo(c.stream(0))
		if err != nil {
			return c.code(err)
		}
		c.set(1, uint32(status))
		return c.set(2, uint32(acl.HandleOf(c.t.p.acl, m)))
	},
	"aclmdlRICaptureThreadExchangeMode": func(c call) uint32 {
		return c.number(0, func() (int, error) {
			old, err := c.t.acl.RICaptureThreadExchangeMode(acl.CaptureMode(int32(c.word(c.u32(0)))))
			return int(old), err
		})
	},
	"aclmdlRICaptureEnd": func(c call) uint32 {
		if !c.out(1, 4) {
			return c.noOut(1)
		}
		m, err := c.t.acl.RICaptureEnd(c.stream(0))
		if err != nil {
			return c.code(err)
		}
		return c.set(1, uint32(acl.HandleOf(c.t.p.acl, m)))
	},
	"aclmdlRICaptureTaskGrpBegin": func(c call) uint32 { return c.code(c.t.acl.RICaptureTaskGrpBegin(c.stream(0))) },
	"aclmdlRICaptureTaskGrpEnd": func(c call) uint32 {
		if !c.out(1, 4) {
			return c.noOut(1)
		}
		g, err := c.t.acl.RICaptureTaskGrpEnd(c.stream(0))
		if err != nil {
			return c.code(err)
		}
		return c.set(1, uint32(acl.HandleOf(c.t.p.acl, g)))
	},
	"aclmdlRICaptureTaskUpdateBegin": func(c call) uint32 {
		return c.code(c.t.acl.RICaptureTaskUpdateBegin(c.stream(0), c.taskGroup(1)))
	},
	"aclmdlRICaptureTaskUpdateEnd": func(c call) uint32 { return c.code(c.t.acl.RICaptureTaskUpdateEnd(c.stream(0))) },
	"aclmdlRIExecuteAsync":         func(c call) uint32 { return c.code(c.t.acl.RIExecuteAsync(c.model(0), c.stream(1))) },
	"aclmdlRIExecute": func(c call) uint32 {
		return c.timed(c.i32(1), func() error { return c.t.acl.RIExecute(c.model(0), c.i32(1)) })
	},
	"aclmdlRIDestroy": func(c call) uint32 { return c.code(c.t.acl.RIDestroy(c.model(0))) },
}

func (c call) taskGroup(i int) *acl.TaskGroup { return c.t.p.acl.TaskGroupOf(c.handle(i)) }

func (c call) model(i int) *acl.Model { return c.t.p.acl.ModelOf(c.handle(i)) }
