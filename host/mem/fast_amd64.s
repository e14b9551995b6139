#include "textflag.h"

// Every function walks groups of 16 elements: DI destination, SI source, CX
// groups, AX groups done. A group whose result holds an infinity or a NaN (max
// and min: a NaN) is left untouched and ends the walk.

// LOOP_HEAD leaves when all groups are done.
#define LOOP_HEAD \
	CMPQ AX, CX \
	JGE  done

#define LOAD_SINGLES \
	MOVUPS (DI), X0 \
	MOVUPS 16(DI), X1 \
	MOVUPS 32(DI), X2 \
	MOVUPS 48(DI), X3 \
	MOVUPS (SI), X4 \
	MOVUPS 16(SI), X5 \
	MOVUPS 32(SI), X6 \
	MOVUPS 48(SI), X7

#define STORE_SINGLES \
	MOVUPS X0, (DI) \
	MOVUPS X1, 16(DI) \
	MOVUPS X2, 32(DI) \
	MOVUPS X3, 48(DI) \
	ADDQ $64, DI \
	ADDQ $64, SI \
	INCQ AX

// STOP_UNLESS_FINITE leaves when an exponent in X0..X3 is all ones (X14).
#define STOP_UNLESS_FINITE \
	MOVAPS X0, X8 \
	MOVAPS X1, X9 \
	MOVAPS X2, X10 \
	MOVAPS X3, X11 \
	PAND X14, X8 \
	PAND X14, X9 \
	PAND X14, X10 \
	PAND X14, X11 \
	PCMPEQL X14, X8 \
	PCMPEQL X14, X9 \
	PCMPEQL X14, X10 \
	PCMPEQL X14, X11 \
	POR X9, X8 \
	POR X11, X10 \
	POR X10, X8 \
	PMOVMSKB X8, BX \
	TESTL BX, BX \
	JNE done

#define ARGUMENTS \
	MOVQ dst+0(FP), DI \
	MOVQ src+8(FP), SI \
	MOVQ groups+16(FP), CX \
	XORQ AX, AX \
	MOVL $0x7f800000, BX \
	MOVL BX, X14 \
	PSHUFD $0, X14, X14

// func addSingles(dst, src *float32, groups int) int
TEXT ·addSingles(SB), NOSPLIT, $0-32
	ARGUMENTS
loop:
	LOOP_HEAD
	LOAD_SINGLES
	ADDPS X4, X0
	ADDPS X5, X1
	ADDPS X6, X2
	ADDPS X7, X3
	STOP_UNLESS_FINITE
	STORE_SINGLES
	JMP  loop
done:
	MOVQ AX, ret+24(FP)
	RET

// func mulSingles(dst, src *float32, groups int) int
TEXT ·mulSingles(SB), NOSPLIT, $0-32
	ARGUMENTS
loop:
	LOOP_HEAD
	LOAD_SINGLES
	MULPS X4, X0
	MULPS X5, X1
	MULPS X6, X2
	MULPS X7, X3
	STOP_UNLESS_FINITE
	STORE_SINGLES
	JMP  loop
done:
	MOVQ AX, ret+24(FP)
	RET

// STOP_UNLESS_ORDERED leaves when an operand in X0..X3 or X4..X7 is a NaN.
#define STOP_UNLESS_ORDERED \
	MOVAPS X0, X8 \
	MOVAPS X1, X9 \
	MOVAPS X2, X10 \
	MOVAPS X3, X11 \
	CMPPS X4, X8, $3 \
	CMPPS X5, X9, $3 \
	CMPPS X6, X10, $3 \
	CMPPS X7, X11, $3 \
	ORPS X9, X8 \
	ORPS X11, X10 \
	ORPS X10, X8 \
	PMOVMSKB X8, BX \
	TESTL BX, BX \
	JNE done \
	MOVAPS X0, X8 \
	MOVAPS X1, X9 \
	MOVAPS X2, X10 \
	MOVAPS X3, X11

// func maxSingles(dst, src *float32, groups int) int
// MAXPS gives its second operand when both are zero: both orders, and-ed, give +0.
TEXT ·maxSingles(SB), NOSPLIT, $0-32
	ARGUMENTS
loop:
	LOOP_HEAD
	LOAD_SINGLES
	STOP_UNLESS_ORDERED
	MAXPS X4, X0
	MAXPS X5, X1
	MAXPS X6, X2
	MAXPS X7, X3
	MAXPS X8, X4
	MAXPS X9, X5
	MAXPS X10, X6
	MAXPS X11, X7
	ANDPS X4, X0
	ANDPS X5, X1
	ANDPS X6, X2
	ANDPS X7, X3
	STORE_SINGLES
	JMP  loop
done:
	MOVQ AX, ret+24(FP)
	RET

// func minSingles(dst, src *float32, groups int) int
TEXT ·minSingles(SB), NOSPLIT, $0-32
	ARGUMENTS
loop:
	LOOP_HEAD
	LOAD_SINGLES
	STOP_UNLESS_ORDERED
	MINPS X4, X0
	MINPS X5, X1
	MINPS X6, X2
	MINPS X7, X3
	MINPS X8, X4
	MINPS X9, X5
	MINPS X10, X6
	MINPS X11, X7
	ORPS X4, X0
	ORPS X5, X1
	ORPS X6, X2
	ORPS X7, X3
	STORE_SINGLES
	JMP  loop
done:
	MOVQ AX, ret+24(FP)
	RET

// ROUND_BRAIN rounds the singles in a to nearest even at bit 16, keeping them in
// the upper half; X12 = 1, X13 = 0x7fff in every lane.
#define ROUND_BRAIN(a, t) \
	MOVAPS a, t \
	PSRLL $16, t \
	PAND X12, t \
	PADDL X13, t \
	PADDL t, a

// func addBrains(dst, src *uint16, groups int) int
TEXT ·addBrains(SB), NOSPLIT, $0-32
	ARGUMENTS
	MOVL $1, BX
	MOVL BX, X12
	PSHUFD $0, X12, X12
	MOVL $0x7fff, BX
	MOVL BX, X13
	PSHUFD $0, X13, X13
loop:
	LOOP_HEAD
	MOVUPS (DI), X5
	MOVUPS 16(DI), X7
	PXOR X0, X0
	PXOR X1, X1
	PXOR X2, X2
	PXOR X3, X3
	PUNPCKLWL X5, X0
	PUNPCKHWL X5, X1
	PUNPCKLWL X7, X2
	PUNPCKHWL X7, X3
	MOVUPS (SI), X5
	MOVUPS 16(SI), X7
	PXOR X4, X4
	PXOR X6, X6
	PXOR X8, X8
	PXOR X9, X9
	PUNPCKLWL X5, X4
	PUNPCKHWL X5, X6
	PUNPCKLWL X7, X8
	PUNPCKHWL X7, X9
	ADDPS X4, X0
	ADDPS X6, X1
	ADDPS X8, X2
	ADDPS X9, X3
	ROUND_BRAIN(X0, X4)
	ROUND_BRAIN(X1, X5)
	ROUND_BRAIN(X2, X6)
	ROUND_BRAIN(X3, X7)
	STOP_UNLESS_FINITE
	PSRAL $16, X0
	PSRAL $16, X1
	PSRAL $16, X2
	PSRAL $16, X3
	PACKSSLW X1, X0
	PACKSSLW X3, X2
	MOVUPS X0, (DI)
	MOVUPS X2, 16(DI)
	ADDQ $32, DI
	ADDQ $32, SI
	INCQ AX
	JMP  loop
done:
	MOVQ AX, ret+24(FP)
	RET

// func addHalves(dst, src *uint16, groups int) int
TEXT ·addHalves(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ groups+16(FP), CX
	XORQ AX, AX
	MOVL $0x7c007c00, BX
	MOVL BX, X14
	VPSHUFD $0, X14, X14
loop:
	CMPQ AX, CX
	JGE  done
	VCVTPH2PS (DI), Y0
	VCVTPH2PS 16(DI), Y1
	VCVTPH2PS (SI), Y2
	VCVTPH2PS 16(SI), Y3
	VADDPS Y2, Y0, Y0
	VADDPS Y3, Y1, Y1
	VCVTPS2PH $0, Y0, X0
	VCVTPS2PH $0, Y1, X1
	VPAND X14, X0, X2
	VPAND X14, X1, X3
	VPCMPEQW X14, X2, X2
	VPCMPEQW X14, X3, X3
	VPOR X3, X2, X2
	VPMOVMSKB X2, BX
	TESTL BX, BX
	JNE  done
	VMOVDQU X0, (DI)
	VMOVDQU X1, 16(DI)
	ADDQ $32, DI
	ADDQ $32, SI
	INCQ AX
	JMP  loop
done:
	VZEROUPPER
	MOVQ AX, ret+24(FP)
	RET

// func cpuFeatures() uint32
TEXT ·cpuFeatures(SB), NOSPLIT, $0-4
	MOVL $1, AX
	XORL CX, CX
	CPUID
	MOVL CX, ret+0(FP)
	RET

// func enabledState() uint32
TEXT ·enabledState(SB), NOSPLIT, $0-4
	XORL CX, CX
	XGETBV
	MOVL AX, ret+0(FP)
	RET
