package io.loligo.core.http2;

/**
 * The Huffman code of HPACK (RFC 7541 appendix B), decoding only. Stateless.
 *
 * <p>The code is canonical: the codes of one length are consecutive numbers in the order of their
 * symbols, so the lengths alone define it. A shorter code is the smaller number if both are padded
 * with zeros to the same length.
 */
final class Huffman {
  private static final int END = 256;
  private static final int MAX_BITS = 30;

  /** Codes up to this length are found with one look at a table. */
  private static final int TABLE_BITS = 10;

  private static final byte[] LENGTHS = {
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
    28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
    5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
    13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
    7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
    15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
    6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
    20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
    24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
    22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
    21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
    19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
    20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
    26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
  };

  /** By the next {@value #TABLE_BITS} bits: symbol and length of a short code; 0: a longer one. */
  private static final short[] SHORT = new short[1 << TABLE_BITS];

  /** All symbols but the end, by length and value. */
  private static final short[] SYMBOLS = new short[END];

  /** By length: the first code, and the place of its symbol in {@link #SYMBOLS}. */
  private static final int[] FIRST_CODE = new int[MAX_BITS + 1];

  private static final int[] FIRST_PLACE = new int[MAX_BITS + 2];

  static {
    int code = 0;
    int place = 0;
    for (int bits = 1; bits <= MAX_BITS; bits++) {
      FIRST_CODE[bits] = code;
      FIRST_PLACE[bits] = place;
      for (int symbol = 0; symbol < END; symbol++) {
        if (LENGTHS[symbol] == bits) {
          SYMBOLS[place++] = (short) symbol;
          fillShort(code++, symbol, bits);
        }
      }
      code <<= 1;
    }
    FIRST_PLACE[MAX_BITS + 1] = place;
  }

  private Huffman() {}

  private static void fillShort(int code, int symbol, int bits) {
    int free = TABLE_BITS - bits;
    if (free >= 0) {
      for (int rest = 0; rest < 1 << free; rest++) {
        SHORT[code << free | rest] = (short) (symbol << 4 | bits);
      }
    }
  }

  /** Most bytes that {@code length} encoded bytes can give. */
  static int maxDecoded(int length) {
    return (int) (length * 8L / 5);
  }

  /**
   * Decodes {@code in[start, end)} into {@code out} from offset {@code at} on, which has room for
   * {@link #maxDecoded}.
   *
   * @return the offset after the last decoded byte; -1: the code is invalid
   */
  static int decode(byte[] in, int start, int end, byte[] out, int at) {
    int to = at;
    int from = start;
    long bits = 0; // the lowest `count` bits are unread
    int count = 0;
    while (true) {
      while (count <= Long.SIZE - 2 * Byte.SIZE && from < end) {
        bits = bits << 8 | (in[from++] & 0xff);
        count += 8;
      }
      if (count < 5) {
        break;
      }
      int next =
          count >= TABLE_BITS
              ? (int) (bits >>> (count - TABLE_BITS))
              : (int) (bits << (TABLE_BITS - count) | ones(TABLE_BITS - count));
      int entry = SHORT[next & (1 << TABLE_BITS) - 1];
      int length = entry & 0xf;
      if (entry == 0) {
        length = longCode(bits, count);
        if (length < 0) {
          return -1;
        }
        if (length == 0) {
          break;
        }
        int code = (int) (bits >>> (count - length)) & (int) ones(length);
        entry = SYMBOLS[FIRST_PLACE[length] + code - FIRST_CODE[length]] << 4;
      } else if (length > count) {
        break;
      }
      out[to++] = (byte) (entry >> 4);
      count -= length;
    }
    // the rest is padding: less than a byte, and the first bits of the end symbol, all ones
    boolean padded = count < 8 && (bits & ones(count)) == ones(count);
    return padded ? to : -1;
  }

  /** Length of the long code that the unread bits begin with; 0: they are too few; -1: none. */
  private static int longCode(long bits, int count) {
    for (int length = TABLE_BITS + 1; length <= MAX_BITS; length++) {
      if (length > count) {
        return 0;
      }
      int code = (int) (bits >>> (count - length)) & (int) ones(length);
      if (code - FIRST_CODE[length] < FIRST_PLACE[length + 1] - FIRST_PLACE[length]) {
        return length;
      }
    }
    return -1;
  }

  private static long ones(int count) {
    return (1L << count) - 1;
  }
}
