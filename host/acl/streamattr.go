package acl

// StreamAttr is an attribute of a stream.
type StreamAttr int

// The attributes.
const (
	AttrFailureMode   StreamAttr = 1 // 0 continue, 1 stop
	AttrOverflowCheck StreamAttr = 2
	AttrUserTag       StreamAttr = 3
	AttrCacheOpInfo   StreamAttr = 4
)

// SetStreamAttribute sets one attribute. The failure mode can be set once per
// stream and then holds for all streams of its context. Errors: ParamInvalid,
// StreamContext, InvalidHandle, FeatureNotSupport for the failure mode of a
// default stream on the first generation.
func (t *Thread) SetStreamAttribute(s *Stream, a StreamAttr, value uint32) error {
	const call = "aclrtSetStreamAttribute"
	if err := t.enter(call); err != nil {
		return err
	}
	s, err := t.stream(call, s)
	if err != nil {
		return err
	}
	switch a {
	case AttrFailureMode:
		if err := s.setFailureMode(call, value); err != nil {
			return err
		}
	case AttrOverflowCheck, AttrCacheOpInfo:
		if value > 1 {
			return fail(ParamInvalid, call, "got attribute %d = %d, want 0 or 1", a, value)
		}
	case AttrUserTag:
	default:
		return fail(ParamInvalid, call, "got attribute %d, want 1 to 4", a)
	}
	s.attrs[a] = value
	return nil
}

func (s *Stream) setFailureMode(call string, value uint32) error {
	switch {
	case value > 1:
		return fail(ParamInvalid, call, "got failure mode %d, want 0 (continue) or 1 (stop)", value)
	case s.IsDefault() && firstGeneration(s.ctx.use.dev.Chip()):
		return fail(FeatureNotSupport, call, "the default stream of chip %s has no failure mode", s.ctx.use.dev.Chip().Name)
	case s.mode:
		return fail(ParamInvalid, call, "the failure mode of %v was set before", s)
	}
	s.mode = true
	if value == 1 {
		s.ctx.domain.StopOnFailure = true
	}
	return nil
}

// SetStreamFailureMode is SetStreamAttribute of the failure mode.
func (t *Thread) SetStreamFailureMode(s *Stream, mode uint32) error {
	return t.SetStreamAttribute(s, AttrFailureMode, mode)
}

// SetStreamOverflowSwitch is SetStreamAttribute of the overflow check: with 1, an
// overflow in a later task of the stream is what the next synchronisation returns.
func (t *Thread) SetStreamOverflowSwitch(s *Stream, on uint32) error {
	return t.SetStreamAttribute(s, AttrOverflowCheck, on)
}

// GetStreamAttribute reads one attribute; what was never set is 0.
func (t *Thread) GetStreamAttribute(s *Stream, a StreamAttr) (uint32, error) {
	const call = "aclrtGetStreamAttribute"
	if err := t.enter(call); err != nil {
		return 0, err
	}
	s, err := t.stream(call, s)
	if err != nil {
		return 0, err
	}
	if a < AttrFailureMode || a > AttrCacheOpInfo {
		return 0, fail(ParamInvalid, call, "got attribute %d, want 1 to 4", a)
	}
	return s.attrs[a], nil
}
