package io.loligo.server.accesslog;

/**
 * The escaping of a field's bytes, as in Squid. No mode passes a line end, a control byte or
 * (between quotes) a quote, so nobody can write a second line into the log or control the terminal
 * that shows it. Bytes above 0x7f pass only as characters of UTF-8, except the controls U+0080 to
 * U+009F. Immutable.
 */
enum Quoting {
  /**
   * Trusted or checked elsewhere: white space, quotes and control bytes percent-encoded, the rest
   * unchanged.
   */
  PLAIN {
    @Override
    boolean escapes(byte value) {
      return isControl(value) || value == ' ' || value == '"';
    }

    @Override
    void escape(byte value, LogLine line) {
      percent(value, UPPER, line);
    }
  },

  /** {@code %"}: within a quoted string, backslash before quotes. */
  QUOTED {
    @Override
    boolean escapes(byte value) {
      return value == '"' || value == '\\' || isControl(value);
    }

    @Override
    void escape(byte value, LogLine line) {
      backslash(value, line);
    }
  },

  /**
   * {@code %[}: the form of heads in log_mime_hdrs; control bytes, percent and brackets encoded.
   */
  MIME {
    @Override
    boolean escapes(byte value) {
      return isControl(value)
          || value < 0
          || value == '%'
          || value == '['
          || value == ']'
          || value == '\\';
    }

    @Override
    void escape(byte value, LogLine line) {
      if (value == '\r' || value == '\n' || value == '\\') {
        backslash(value, line);
      } else {
        percent(value, LOWER, line);
      }
    }
  },

  /** Untrusted text without a mode of its own: RFC 1738's unsafe characters, percent kept. */
  UNSAFE {
    @Override
    boolean escapes(byte value) {
      return value < 0 || value == ' ' || isControl(value) || UNSAFE_TEXT.indexOf(value) >= 0;
    }

    @Override
    void escape(byte value, LogLine line) {
      percent(value, UPPER, line);
    }
  },

  /** {@code %#}: as {@link #UNSAFE}, percent encoded too. */
  URL {
    @Override
    boolean escapes(byte value) {
      return value == '%' || UNSAFE.escapes(value);
    }

    @Override
    void escape(byte value, LogLine line) {
      percent(value, UPPER, line);
    }
  },

  /** <code>%/</code>: one shell word; enclosed in quotes if it contains a space. */
  SHELL {
    @Override
    boolean escapes(byte value) {
      return QUOTED.escapes(value) && value != '\t';
    }

    @Override
    void escape(byte value, LogLine line) {
      backslash(value, line);
    }

    @Override
    boolean encloses(byte[] bytes, int start, int end) {
      for (int i = start; i < end; i++) {
        if (bytes[i] == ' ') {
          return true;
        }
      }
      return false;
    }
  },

  /** The text of a JSON string (RFC 8259 section 7); no mode of logformat. */
  JSON {
    @Override
    boolean escapes(byte value) {
      return value == '"' || value == '\\' || isControl(value);
    }

    @Override
    void escape(byte value, LogLine line) {
      switch (value) {
        case '"', '\\', '\r', '\n', '\t' -> backslash(value, line);
        default -> {
          line.append("\\u00");
          line.append(LOWER.charAt(value >> 4 & 15));
          line.append(LOWER.charAt(value & 15));
        }
      }
    }
  },

  /** {@code %'}: unchanged, except for bytes that would end the line or control a terminal. */
  RAW {
    @Override
    boolean escapes(byte value) {
      return isControl(value) && value != '\t';
    }

    @Override
    void escape(byte value, LogLine line) {
      percent(value, UPPER, line);
    }
  };

  private static final String UNSAFE_TEXT = "<>\"#{}|\\^~[]`'";
  private static final String UPPER = "0123456789ABCDEF";
  private static final String LOWER = "0123456789abcdef";

  /** The first character of each length in bytes, or the first of them that is not a control. */
  private static final int[] LEAST = {0, 0, 0xa0, 0x800, 0x10000};

  /** Whether {@code value} must be escaped; above 0x7f also as part of a character. */
  abstract boolean escapes(byte value);

  /** Writes the substitute of such a byte. */
  abstract void escape(byte value, LogLine line);

  /** Whether the whole needs enclosing quotes. */
  boolean encloses(byte[] bytes, int start, int end) {
    return false;
  }

  /** Appends {@code raw[0, length)} made safe. */
  final void write(byte[] raw, int length, LogLine line) {
    boolean enclosed = encloses(raw, 0, length);
    if (enclosed) {
      line.append('"');
    }
    int characterEnd = 0;
    for (int i = 0; i < length; i++) {
      if (raw[i] < 0 && i >= characterEnd) {
        characterEnd = i + characterLength(raw, i, length);
      }
      if (escapes(raw[i]) || (raw[i] < 0 && i >= characterEnd)) {
        escape(raw[i], line);
      } else {
        line.append(raw[i]);
      }
    }
    if (enclosed) {
      line.append('"');
    }
  }

  /**
   * The number of bytes of the character that begins at {@code start} (RFC 3629 section 4); 0 for
   * none, or a control.
   */
  private static int characterLength(byte[] raw, int start, int end) {
    int size = Integer.numberOfLeadingZeros(~(raw[start] << 24));
    if (size < 2 || size > 4 || size > end - start) {
      return 0;
    }
    int character = raw[start] & 0x7f >> size;
    for (int i = start + 1; i < start + size; i++) {
      if ((raw[i] & 0xc0) != 0x80) {
        return 0;
      }
      character = (character << 6) | (raw[i] & 0x3f);
    }
    boolean surrogate = character >> 11 == 0x1b;
    return character >= LEAST[size] && character <= Character.MAX_CODE_POINT && !surrogate
        ? size
        : 0;
  }

  private static boolean isControl(byte value) {
    return (value >= 0 && value < 0x20) || value == 0x7f;
  }

  private static void percent(byte value, String digits, LogLine line) {
    line.append('%');
    line.append(digits.charAt(value >> 4 & 15));
    line.append(digits.charAt(value & 15));
  }

  private static void backslash(byte value, LogLine line) {
    line.append('\\');
    switch (value) {
      case '\r' -> line.append('r');
      case '\n' -> line.append('n');
      case '\t' -> line.append('t');
      case '"', '\\' -> line.append(value);
      default -> {
        line.append('x');
        line.append(LOWER.charAt(value >> 4 & 15));
        line.append(LOWER.charAt(value & 15));
      }
    }
  }
}
