//go:build !purego

#include "textflag.h"

// X0 to X7 hold eight remainders of 128 bits. FOLD moves one of them over
// 1024 bits (X9 has the two factors) and adds the text at off(SI).
#define FOLD(acc, tmp, text, off) \
	MOVOU     off(SI), text     \
	MOVOA     acc, tmp          \
	PCLMULQDQ $0x00, X9, acc    \
	PCLMULQDQ $0x11, X9, tmp    \
	PXOR      text, acc         \
	PXOR      tmp, acc

// PAIR does the same with two remainders side by side in a register of 256 bits.
#define PAIR(acc, tmp, off) \
	VPCLMULQDQ $0x11, Y9, acc, tmp \
	VPCLMULQDQ $0x00, Y9, acc, acc \
	VPXOR      off(SI), tmp, tmp   \
	VPXOR      tmp, acc, acc

// JOIN moves X0 over 128 bits (X8 has the two factors) and adds next.
#define JOIN(next) \
	MOVOA     X0, X10        \
	PCLMULQDQ $0x00, X8, X0  \
	PCLMULQDQ $0x11, X8, X10 \
	PXOR      next, X0       \
	PXOR      X10, X0

// func fold(crc uint64, p []byte, powers *[4]uint64, wide bool) (lo, hi uint64)
TEXT ·fold(SB), NOSPLIT, $0-64
	MOVQ  crc+0(FP), X8
	MOVQ  p_base+8(FP), SI
	MOVQ  p_len+16(FP), CX
	MOVQ  powers+32(FP), DX
	MOVOU 0(SI), X0
	MOVOU 16(SI), X1
	MOVOU 32(SI), X2
	MOVOU 48(SI), X3
	MOVOU 64(SI), X4
	MOVOU 80(SI), X5
	MOVOU 96(SI), X6
	MOVOU 112(SI), X7
	PXOR  X8, X0
	MOVOU 0(DX), X9
	MOVOU 16(DX), X8
	ADDQ  $128, SI
	SUBQ  $128, CX
	CMPB  wide+40(FP), $0
	JEQ   more
	VINSERTI128 $1, X1, Y0, Y0
	VINSERTI128 $1, X3, Y2, Y2
	VINSERTI128 $1, X5, Y4, Y4
	VINSERTI128 $1, X7, Y6, Y6
	VINSERTI128 $1, X9, Y9, Y9
	JMP   morePairs

pairs:
	PAIR(Y0, Y10, 0)
	PAIR(Y2, Y11, 32)
	PAIR(Y4, Y12, 64)
	PAIR(Y6, Y13, 96)
	ADDQ $128, SI
	SUBQ $128, CX

morePairs:
	CMPQ CX, $128
	JAE  pairs
	VEXTRACTI128 $1, Y0, X1
	VEXTRACTI128 $1, Y2, X3
	VEXTRACTI128 $1, Y4, X5
	VEXTRACTI128 $1, Y6, X7
	VZEROUPPER
	JMP  more

eight:
	FOLD(X0, X10, X13, 0)
	FOLD(X1, X11, X14, 16)
	FOLD(X2, X12, X15, 32)
	FOLD(X3, X10, X13, 48)
	FOLD(X4, X11, X14, 64)
	FOLD(X5, X12, X15, 80)
	FOLD(X6, X10, X13, 96)
	FOLD(X7, X11, X14, 112)
	ADDQ $128, SI
	SUBQ $128, CX

more:
	CMPQ CX, $128
	JAE  eight
	JOIN(X1)
	JOIN(X2)
	JOIN(X3)
	JOIN(X4)
	JOIN(X5)
	JOIN(X6)
	JOIN(X7)
	JMP  rest

one:
	MOVOU 0(SI), X1
	JOIN(X1)
	ADDQ  $16, SI
	SUBQ  $16, CX

rest:
	CMPQ   CX, $16
	JAE    one
	MOVQ   X0, lo+48(FP)
	PSRLDQ $8, X0
	MOVQ   X0, hi+56(FP)
	RET
