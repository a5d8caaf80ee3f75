package io.loligo.server.accesslog;

/**
 * How a field's octets are made safe, as Squid does it. No mode lets a line end, a control octet or
 * (between quotes) a quote through, so nobody can write a second line into the log. Immutable.
 */
enum Quoting {
  /**
   * Trusted or checked elsewhere: white space, quotes and control octets percent-encoded, the rest
   * as it is.
   */
  PLAIN {
    @Override
    boolean escapes(byte octet) {
      return isControl(octet) || octet == ' ' || octet == '"';
    }

    @Override
    void escape(byte octet, LogLine line) {
      percent(octet, UPPER, line);
    }
  },

  /** {@code %"}: within a quoted string, backslash before quotes. */
  QUOTED {
    @Override
    boolean escapes(byte octet) {
      return octet == '"' || octet == '\\' || isControl(octet);
    }

    @Override
    void escape(byte octet, LogLine line) {
      backslash(octet, line);
    }
  },

  /** {@code %[}: as log_mime_hdrs writes heads; control octets, percent and brackets encoded. */
  MIME {
    @Override
    boolean escapes(byte octet) {
      return isControl(octet)
          || octet < 0
          || octet == '%'
          || octet == '['
          || octet == ']'
          || octet == '\\';
    }

    @Override
    void escape(byte octet, LogLine line) {
      if (octet == '\r' || octet == '\n' || octet == '\\') {
        backslash(octet, line);
      } else {
        percent(octet, LOWER, line);
      }
    }
  },

  /** Untrusted text without a mode of its own: RFC 1738's unsafe characters, percent kept. */
  UNSAFE {
    @Override
    boolean escapes(byte octet) {
      return octet < 0 || octet == ' ' || isControl(octet) || UNSAFE_TEXT.indexOf(octet) >= 0;
    }

    @Override
    void escape(byte octet, LogLine line) {
      percent(octet, UPPER, line);
    }
  },

  /** {@code %#}: as {@link #UNSAFE}, percent encoded too. */
  URL {
    @Override
    boolean escapes(byte octet) {
      return octet == '%' || UNSAFE.escapes(octet);
    }

    @Override
    void escape(byte octet, LogLine line) {
      percent(octet, UPPER, line);
    }
  },

  /** <code>%/</code>: one shell word; enclosed in quotes where it holds a space. */
  SHELL {
    @Override
    boolean escapes(byte octet) {
      return QUOTED.escapes(octet) && octet != '\t';
    }

    @Override
    void escape(byte octet, LogLine line) {
      backslash(octet, line);
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

  /** {@code %'}: as it is, but for what would end the line or drive a terminal. */
  RAW {
    @Override
    boolean escapes(byte octet) {
      return isControl(octet) && octet != '\t';
    }

    @Override
    void escape(byte octet, LogLine line) {
      percent(octet, UPPER, line);
    }
  };

  private static final String UNSAFE_TEXT = "<>\"#{}|\\^~[]`'";
  private static final String UPPER = "0123456789ABCDEF";
  private static final String LOWER = "0123456789abcdef";

  /** Whether {@code octet} may not stand as it is. */
  abstract boolean escapes(byte octet);

  /** Writes such an octet's substitute. */
  abstract void escape(byte octet, LogLine line);

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
    for (int i = 0; i < length; i++) {
      if (escapes(raw[i])) {
        escape(raw[i], line);
      } else {
        line.append(raw[i]);
      }
    }
    if (enclosed) {
      line.append('"');
    }
  }

  private static boolean isControl(byte octet) {
    return (octet >= 0 && octet < 0x20) || octet == 0x7f;
  }

  private static void percent(byte octet, String digits, LogLine line) {
    line.append('%');
    line.append(digits.charAt(octet >> 4 & 15));
    line.append(digits.charAt(octet & 15));
  }

  private static void backslash(byte octet, LogLine line) {
    line.append('\\');
    switch (octet) {
      case '\r' -> line.append('r');
      case '\n' -> line.append('n');
      case '\t' -> line.append('t');
      case '"', '\\' -> line.append(octet);
      default -> {
        line.append('x');
        line.append(LOWER.charAt(octet >> 4 & 15));
        line.append(LOWER.charAt(octet & 15));
      }
    }
  }
}
