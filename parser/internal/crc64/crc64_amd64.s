//go:build !purego

#include "textflag.h"

// Eight remainders of 128 bits stand in X0 to X7. FOLD moves one of them over
// 1024 bits (X9 has the two factors) and adds the text at off(SI).
#define FOLD(acc, tmp, text, off) \
	MOVOU     off(SI), text     \
	MOVOA     acc, tmp          \
	PCLMULQDQ $0x00, X9, acc    \
	PCLMULQDQ $0x11, X9, tmp    \
	PXOR      text, acc         \
	PXOR      tmp, acc

// JOIN moves X0 over 128 bits (X8 has the two factors) and adds next.
#define JOIN(next) \
	MOVOA     X0, X10        \
	PCLMULQDQ $0x00, X8, X0  \
	PCLMULQDQ $0x11, X8, X10 \
	PXOR      next, X0       \
	PXOR      X10, X0

// func fold(crc uint64, p []byte, powers *[4]uint64) (lo, hi uint64)
TEXT ·fold(SB), NOSPLIT, $0-56
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
	JMP   more

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
	MOVQ   X0, lo+40(FP)
	PSRLDQ $8, X0
	MOVQ   X0, hi+48(FP)
	RET

// WIDE is FOLD for four remainders of 128 bits side by side, over 2048 bits (Z9
// has the two factors, four times).
#define WIDE(acc, low, off) \
	VPCLMULQDQ $0x00, Z9, acc, low         \
	VPCLMULQDQ $0x11, Z9, acc, acc         \
	VPTERNLOGQ $0x96, off(SI), low, acc

// func foldWide(crc uint64, p []byte, powers *[2]uint64, rest *[256]byte)
TEXT ·foldWide(SB), NOSPLIT, $0-48
	MOVQ            crc+0(FP), AX
	VMOVQ           AX, X8
	MOVQ            p_base+8(FP), SI
	MOVQ            p_len+16(FP), CX
	MOVQ            powers+32(FP), DX
	MOVQ            rest+40(FP), DI
	VMOVDQU64       0(SI), Z0
	VMOVDQU64       64(SI), Z1
	VMOVDQU64       128(SI), Z2
	VMOVDQU64       192(SI), Z3
	VPXORQ          Z8, Z0, Z0
	VBROADCASTI32X4 0(DX), Z9
	ADDQ            $256, SI
	SUBQ            $256, CX
	JMP             wide

sixteen:
	WIDE(Z0, Z10, 0)
	WIDE(Z1, Z11, 64)
	WIDE(Z2, Z12, 128)
	WIDE(Z3, Z13, 192)
	ADDQ $256, SI
	SUBQ $256, CX

wide:
	CMPQ       CX, $256
	JAE        sixteen
	VMOVDQU64  Z0, 0(DI)
	VMOVDQU64  Z1, 64(DI)
	VMOVDQU64  Z2, 128(DI)
	VMOVDQU64  Z3, 192(DI)
	VZEROUPPER
	RET
