// SPDX-License-Identifier: BSD-2-Clause
#include "user/symbol/cfi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/symbol/cfi_program.h"
#include "user/symbol/elf_open.h"

#define ENTRY_MAX 16384 /* bytes of one description; of code that has more, nothing is known */

/* How a pointer in it is written: the low half says how wide, 0x70 from where. */
enum ptr_enc {
	ENC_ABS = 0x00,
	ENC_UDATA4 = 0x03,
	ENC_SDATA4_DATAREL = 0x3b,
	ENC_PCREL = 0x10,
};

/* The part of one FDE that its code needs, and of the CIE that it shares with others. */
struct fde {
	uint64_t start, size;
	struct wc_span program;
};

struct cie {
	uint64_t code_align;
	int64_t data_align;
	uint8_t enc; /* of the pointers in its FDEs */
	bool sized;  /* its FDEs have a block of other data, which is skipped */
	struct wc_span program;
};

struct table_entry {
	int32_t start, fde; /* from the header */
};

static bool read_bytes(const struct wc_cfi_from *from, uint64_t offset, void *out, size_t sz)
{
	if (from->fd >= 0)
		return offset <= INT64_MAX &&
		       pread(from->fd, out, sz, (off_t)offset) == (ssize_t)sz;
	if (offset > from->sz || from->sz - offset < sz)
		return false;
	memcpy(out, (const char *)from->bytes + offset, sz);
	return true;
}

static bool read_at(const struct wc_cfi *cfi, const struct wc_cfi_from *from, uint64_t vaddr,
		    void *out, size_t sz)
{
	size_t i;

	for (i = 0; i < cfi->segment_cnt; i++) {
		const struct wc_cfi_segment *seg = &cfi->segments[i];

		if (vaddr >= seg->vaddr && vaddr - seg->vaddr < seg->filesz &&
		    sz <= seg->filesz - (vaddr - seg->vaddr))
			return read_bytes(from, vaddr - seg->vaddr + seg->offset, out, sz);
	}
	return false;
}

bool wc_cfi__vaddr(const struct wc_cfi *cfi, uint64_t offset, uint64_t *vaddr)
{
	size_t i;

	for (i = 0; i < cfi->segment_cnt; i++) {
		const struct wc_cfi_segment *seg = &cfi->segments[i];

		if (!seg->exec || offset < seg->offset || offset - seg->offset >= seg->filesz)
			continue;
		*vaddr = offset - seg->offset + seg->vaddr;
		return true;
	}
	return false;
}

static bool read_headers(struct wc_cfi *cfi, Elf *elf)
{
	GElf_Ehdr ehdr;
	GElf_Phdr phdr;
	size_t cnt, i;

	if (!gelf_getehdr(elf, &ehdr) || ehdr.e_machine != EM_X86_64 ||
	    ehdr.e_ident[EI_CLASS] != ELFCLASS64 || elf_getphdrnum(elf, &cnt))
		return false;
	for (i = 0; i < cnt && i < INT32_MAX; i++) {
		if (!gelf_getphdr(elf, (int)i, &phdr))
			return false;
		if (phdr.p_type == PT_GNU_EH_FRAME)
			cfi->hdr = phdr.p_vaddr;
		if (phdr.p_type != PT_LOAD)
			continue;
		if (cfi->segment_cnt == WC_CFI_SEGMENTS_MAX)
			return false;
		cfi->segments[cfi->segment_cnt++] = (struct wc_cfi_segment){
			.offset = phdr.p_offset,
			.vaddr = phdr.p_vaddr,
			.filesz = phdr.p_filesz,
			.exec = phdr.p_flags & PF_X,
		};
	}
	return cfi->hdr != 0;
}

/* Bytes of a pointer written so; 0: in no way that is known here. */
static size_t ptr_size(uint8_t enc)
{
	switch (enc & 0x0f) {
	case 0x00:
	case 0x04:
	case 0x0c:
		return 8;
	case 0x03:
	case 0x0b:
		return 4;
	default:
		return 0;
	}
}

/* Every linker writes the table this way. */
static bool find_table(struct wc_cfi *cfi, const struct wc_cfi_from *from)
{
	uint8_t head[4 + 8 + 4];
	size_t sz;

	if (!read_at(cfi, from, cfi->hdr, head, sizeof(head)) || head[0] != 1 ||
	    head[2] != ENC_UDATA4 || head[3] != ENC_SDATA4_DATAREL)
		return false;
	sz = ptr_size(head[1]); /* to .eh_frame, which the table leads to anyway */
	if (!sz)
		return false;
	cfi->fde_cnt =
		wc_span__uint(&(struct wc_span){ head + 4 + sz, head + sizeof(head), false }, 4);
	cfi->table = cfi->hdr + 4 + sz + 4;
	return cfi->fde_cnt > 0;
}

struct wc_cfi *wc_cfi__new(const struct wc_cfi_from *from)
{
	struct wc_cfi *cfi = calloc(1, sizeof(*cfi));
	struct wc_elf e;
	bool good;

	if (!cfi)
		return NULL;
	/* a copy of the bytes is not needed: libelf changes none */
	if (from->fd >= 0 ? wc_elf__begin(&e, from->fd)
			  : wc_elf__begin_memory(&e, (void *)from->bytes, from->sz)) {
		good = read_headers(cfi, e.elf) && find_table(cfi, from);
		wc_elf__end(&e);
		if (good)
			return cfi;
	}
	free(cfi);
	return NULL;
}

void wc_cfi__free(struct wc_cfi *cfi)
{
	free(cfi);
}

/* Address of the FDE of the last function that begins at or before vaddr. */
static bool find_fde(const struct wc_cfi *cfi, const struct wc_cfi_from *from, uint64_t vaddr,
		     uint64_t *fde)
{
	uint64_t lo = 0, hi = cfi->fde_cnt, mid;
	struct table_entry entry;
	bool found = false;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (!read_at(cfi, from, cfi->table + mid * sizeof(entry), &entry, sizeof(entry)))
			return false;
		if (cfi->hdr + (uint64_t)(int64_t)entry.start <= vaddr) {
			*fde = cfi->hdr + (uint64_t)(int64_t)entry.fde;
			found = true;
			lo = mid + 1;
		} else {
			hi = mid;
		}
	}
	return found;
}

/* One CIE or FDE without its length. */
static bool read_entry(const struct wc_cfi *cfi, const struct wc_cfi_from *from, uint64_t vaddr,
		       uint8_t *buf, struct wc_span *out)
{
	uint32_t len;

	if (!read_at(cfi, from, vaddr, &len, sizeof(len)) || len < 4 || len > ENTRY_MAX ||
	    !read_at(cfi, from, vaddr + sizeof(len), buf, len))
		return false;
	*out = (struct wc_span){ buf, buf + len, false };
	return true;
}

/* What the letters of a CIE say follows them; those of signal frames and the like: false. */
static bool read_augmentation(struct cie *cie, const char *letters, struct wc_span *s)
{
	struct wc_span data;
	uint8_t enc;

	if (!*letters)
		return true;
	if (*letters++ != 'z')
		return false;
	cie->sized = true;
	data = wc_span__take(s, wc_span__uleb(s));
	for (; *letters; letters++) {
		switch (*letters) {
		case 'R':
			cie->enc = (uint8_t)wc_span__uint(&data, 1);
			break;
		case 'L':
			wc_span__uint(&data, 1);
			break;
		case 'P':
			enc = (uint8_t)wc_span__uint(&data, 1);
			if (!ptr_size(enc))
				return false;
			wc_span__uint(&data, ptr_size(enc));
			break;
		default:
			return false;
		}
	}
	return !data.bad;
}

static bool read_cie(struct wc_span s, struct cie *cie)
{
	const char *letters;
	uint64_t version, ra;
	size_t len;

	*cie = (struct cie){ .enc = ENC_ABS };
	if (wc_span__uint(&s, 4) != 0)
		return false;
	version = wc_span__uint(&s, 1);
	letters = (const char *)s.at;
	len = strnlen(letters, (size_t)(s.end - s.at));
	wc_span__take(&s, len + 1);
	if (s.bad || (version != 1 && version != 3))
		return false;
	cie->code_align = wc_span__uleb(&s);
	cie->data_align = wc_span__sleb(&s);
	ra = version == 1 ? wc_span__uint(&s, 1) : wc_span__uleb(&s);
	if (ra != 16 || !read_augmentation(cie, letters, &s))
		return false;
	cie->program = s;
	return !s.bad;
}

/* s begins behind the pointer to the CIE, which stands at vaddr. */
static bool read_fde(struct wc_span s, uint64_t vaddr, const struct cie *cie, struct fde *fde)
{
	size_t sz = ptr_size(cie->enc);

	if (!sz || (cie->enc & 0xf0) & ~ENC_PCREL)
		return false;
	fde->start = (uint64_t)wc_span__sint(&s, sz);
	if (cie->enc & ENC_PCREL)
		fde->start += vaddr;
	fde->size = wc_span__uint(&s, sz);
	if (cie->sized)
		wc_span__take(&s, wc_span__uleb(&s));
	fde->program = s;
	return !s.bad;
}

int wc_cfi__row(const struct wc_cfi *cfi, const struct wc_cfi_from *from, uint64_t vaddr,
		struct wc_row *out)
{
	uint8_t fde_buf[ENTRY_MAX], cie_buf[ENTRY_MAX];
	struct wc_span fde_bytes, cie_bytes;
	uint64_t at = 0, back;
	struct cie cie;
	struct fde fde;

	if (!find_fde(cfi, from, vaddr, &at) || !read_entry(cfi, from, at, fde_buf, &fde_bytes))
		return -ENOENT;
	at += 4; /* its length */
	back = wc_span__uint(&fde_bytes, 4);
	if (!back || !read_entry(cfi, from, at - back, cie_buf, &cie_bytes) ||
	    !read_cie(cie_bytes, &cie) || !read_fde(fde_bytes, at + 4, &cie, &fde))
		return -ENOENT;
	if (vaddr < fde.start || vaddr - fde.start >= fde.size)
		return -ENOENT;
	return wc_cfi__run(cie.program, fde.program, fde.start, vaddr, cie.code_align,
			   cie.data_align, out);
}
