package acl

import (
	"fmt"

	"hsim/host/device"
	"hsim/host/mem"
)

// maxBatch is how many pieces one batch copy may have.
const maxBatch = 4096

// BatchPiece is one copy of a batch; Kind follows from the addresses.
type BatchPiece struct {
	Dst     mem.Addr
	DestMax int64
	Src     mem.Addr
	Count   int64
}

// checkedCopy is a copy whose arguments are right.
type checkedCopy struct {
	task device.Task
	kind MemcpyKind
}

// MemcpyBatch copies many pieces and waits for them. What is wrong with one piece,
// or with their number, is found before anything is copied; failed is the piece,
// -1 for the batch as a whole. ParamInvalid for no pieces or more than 4096.
func (t *Thread) MemcpyBatch(list []BatchPiece) (failed int, err error) {
	const call = "aclrtMemcpyBatch"
	if err := t.enter(call); err != nil {
		return -1, err
	}
	c, err := t.context(call)
	if err != nil {
		return -1, err
	}
	if err := t.unsafe(call); err != nil {
		return -1, err
	}
	copies, failed, err := t.checkBatch(call, c.use, list)
	if err != nil {
		return failed, err
	}
	for i := range copies {
		x := &copies[i]
		if x.kind == HostToHost {
			err = t.done(call, t.p.rt.mem.Copy(x.task.Dst, x.task.Src, x.task.Len))
		} else {
			err = t.hidden(call, c.use, &x.task)
		}
		if err != nil {
			return i, err
		}
	}
	return -1, nil
}

// MemcpyBatchAsync queues the pieces as tasks, with the checks of MemcpyBatch.
func (t *Thread) MemcpyBatchAsync(list []BatchPiece, s *Stream) (failed int, err error) {
	const call = "aclrtMemcpyBatchAsync"
	s, err = t.copyStream(call, s)
	if err != nil {
		return -1, err
	}
	copies, failed, err := t.checkBatch(call, s.ctx.use, list)
	if err != nil {
		return failed, err
	}
	for i := range copies {
		x := &copies[i]
		row := TaskRow{Type: TypeMemcpy, What: x.kind.String(), Dst: x.task.Dst, Src: x.task.Src, Size: x.task.Len}
		if err := t.push(call, s, &x.task, &row); err != nil {
			return i, err
		}
	}
	return -1, nil
}

func (t *Thread) checkBatch(call string, u *deviceUse, list []BatchPiece) (copies []checkedCopy, failed int, err error) {
	if len(list) == 0 || len(list) > maxBatch {
		return nil, -1, fail(ParamInvalid, call, "got %d pieces, want 1 to %d", len(list), maxBatch)
	}
	for i, p := range list {
		task, kind, err := t.checkCopy(call, u, p.Dst, p.DestMax, p.Src, p.Count, MemcpyDefault)
		if err != nil {
			return nil, i, &Error{Code: CodeOf(err), Call: call, Text: fmt.Sprintf("piece %d", i), Err: err}
		}
		copies = append(copies, checkedCopy{task, kind})
	}
	return copies, -1, nil
}

// Memcpy2D copies height rows of width bytes, whose starts lie pitch bytes apart,
// and waits for it. ParamInvalid when a pitch is below the width, or a row does
// not lie in its memory; nothing is copied then.
func (t *Thread) Memcpy2D(dst mem.Addr, dstPitch int64, src mem.Addr, srcPitch, width, height int64, kind MemcpyKind) error {
	const call = "aclrtMemcpy2d"
	if err := t.enter(call); err != nil {
		return err
	}
	c, err := t.context(call)
	if err != nil {
		return err
	}
	if err := t.unsafe(call); err != nil {
		return err
	}
	rows, err := t.checkRows(call, c.use, dst, dstPitch, src, srcPitch, width, height, kind)
	if err != nil {
		return err
	}
	for i := range rows {
		x := &rows[i]
		if x.kind == HostToHost {
			err = t.done(call, t.p.rt.mem.Copy(x.task.Dst, x.task.Src, x.task.Len))
		} else {
			err = t.hidden(call, c.use, &x.task)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Memcpy2DAsync queues Memcpy2D, one task per row.
func (t *Thread) Memcpy2DAsync(dst mem.Addr, dstPitch int64, src mem.Addr, srcPitch, width, height int64, kind MemcpyKind, s *Stream) error {
	const call = "aclrtMemcpy2dAsync"
	s, err := t.copyStream(call, s)
	if err != nil {
		return err
	}
	rows, err := t.checkRows(call, s.ctx.use, dst, dstPitch, src, srcPitch, width, height, kind)
	if err != nil {
		return err
	}
	for i := range rows {
		x := &rows[i]
		row := TaskRow{Type: TypeMemcpy, What: x.kind.String(), Dst: x.task.Dst, Src: x.task.Src, Size: x.task.Len}
		if err := t.push(call, s, &x.task, &row); err != nil {
			return err
		}
	}
	return nil
}

func (t *Thread) checkRows(call string, u *deviceUse, dst mem.Addr, dstPitch int64, src mem.Addr, srcPitch, width, height int64, kind MemcpyKind) ([]checkedCopy, error) {
	if width < 1 || height < 1 || height > 1<<20 || dstPitch < width || srcPitch < width {
		return nil, fail(ParamInvalid, call, "got %d x %d bytes with pitches %d and %d, want 1 or more (at most 2^20 rows) and pitches of the width or more",
			width, height, dstPitch, srcPitch)
	}
	var rows []checkedCopy
	for i := int64(0); i < height; i++ {
		task, k, err := t.checkCopy(call, u, dst.Add(i*dstPitch), width, src.Add(i*srcPitch), width, kind)
		if err != nil {
			return nil, err
		}
		rows = append(rows, checkedCopy{task, k})
	}
	return rows, nil
}
