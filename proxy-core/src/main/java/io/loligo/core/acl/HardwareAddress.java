package io.loligo.core.acl;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Hardware addresses as text in one form: two digits in lower case for each byte, with colons
 * between them. Stateless.
 */
public final class HardwareAddress {
  private static final String MAC = "[0-9a-f]{1,2}(:[0-9a-f]{1,2}){5}";
  private static final String EUI64 = "[0-9a-f]{1,2}([:-][0-9a-f]{1,2}){7}";

  /** Characters of the first three bytes. */
  private static final int MIDDLE = 8;

  private HardwareAddress() {}

  /** The MAC address (EUI-48) that {@code text} spells; null: it is none. */
  public static @Nullable String mac(String text) {
    return normal(text, MAC);
  }

  /**
   * The EUI-64 that {@code text} spells, or that a MAC address makes; null: it is none. Between
   * bytes stand colons or hyphens.
   */
  static @Nullable String eui64(String text) {
    String mac = mac(text.replace('-', ':'));
    return mac == null
        ? normal(text, EUI64)
        : mac.substring(0, MIDDLE) + ":ff:fe" + mac.substring(MIDDLE);
  }

  private static @Nullable String normal(String text, String form) {
    String lower = text.toLowerCase(Locale.ROOT);
    if (!lower.matches(form)) {
      return null;
    }
    StringBuilder normal = new StringBuilder();
    for (String part : lower.split("[:-]", -1)) {
      normal.append(normal.length() == 0 ? "" : ":").append(part.length() == 1 ? "0" : "");
      normal.append(part);
    }
    return normal.toString();
  }

  /**
   * The EUI-64 inside {@code address} (RFC 4291 appendix A); null: it has none. As in Squid, only a
   * unique local address (RFC 4193) tells it.
   *
   * @param address 4 or 16 bytes
   */
  static @Nullable String inside(byte[] address) {
    boolean uniqueLocal = address.length == 16 && (address[0] & 0xfe) == 0xfc;
    if (!uniqueLocal || address[11] != (byte) 0xff || address[12] != (byte) 0xfe) {
      return null;
    }
    StringBuilder text = new StringBuilder();
    for (int i = 8; i < 16; i++) {
      text.append(i == 8 ? "" : ":");
      text.append(Character.forDigit(address[i] >> 4 & 15, 16));
      text.append(Character.forDigit(address[i] & 15, 16));
    }
    return text.toString();
  }
}
