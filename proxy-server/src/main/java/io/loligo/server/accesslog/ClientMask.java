package io.loligo.server.accesslog;

import io.loligo.core.message.IpText;
import org.jspecify.annotations.Nullable;

/**
 * {@code client_netmask}: the part of a client's IPv4 address that is logged. As in Squid, IPv6
 * addresses and 127.0.0.1 are logged whole. Immutable.
 *
 * @param bits of the part, the first byte in the highest ones
 */
record ClientMask(int bits) {
  /** Addresses are logged whole. */
  static final ClientMask NONE = new ClientMask(-1);

  private static final int LOCALHOST = 127 << 24 | 1;

  /** The mask with the text {@code mask}; null: none. */
  static ClientMask of(@Nullable String mask) {
    byte[] bytes = mask == null ? null : IpText.parse(mask);
    return bytes == null ? NONE : new ClientMask(bits(bytes));
  }

  /** Whether {@code text} is a mask. */
  static boolean isMask(String text) {
    byte[] bytes = IpText.parse(text);
    return bytes != null && bytes.length == 4;
  }

  /** The part of {@code address}, an IP address, that is logged. */
  String apply(String address) {
    byte[] bytes = equals(NONE) ? null : IpText.parse(address);
    if (bytes == null || bytes.length != 4 || bits(bytes) == LOCALHOST) {
      return address;
    }
    int logged = bits(bytes) & bits;
    return IpText.text(
        new byte[] {
          (byte) (logged >> 24), (byte) (logged >> 16), (byte) (logged >> 8), (byte) logged
        });
  }

  private static int bits(byte[] address) {
    return (address[0] & 0xff) << 24
        | (address[1] & 0xff) << 16
        | (address[2] & 0xff) << 8
        | (address[3] & 0xff);
  }
}
