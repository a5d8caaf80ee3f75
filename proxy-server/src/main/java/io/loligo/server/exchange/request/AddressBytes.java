package io.loligo.server.exchange.request;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;

/** Addresses in the form that access rules compare: 4 or 16 bytes, network order. */
public final class AddressBytes {
  private AddressBytes() {}

  /** The bytes of each address, see {@link #of(InetAddress)}. */
  public static List<byte[]> of(List<InetAddress> addresses) {
    return addresses.stream().map(AddressBytes::of).toList();
  }

  /** The 4 or 16 bytes of {@code address}. An IPv4-mapped IPv6 address yields 4 bytes. */
  public static byte[] of(InetAddress address) {
    byte[] bytes = address.getAddress();
    if (bytes.length == 16 && isMapped(bytes)) {
      return Arrays.copyOfRange(bytes, 12, 16);
    }
    return bytes;
  }

  private static boolean isMapped(byte[] bytes) {
    for (int i = 0; i < 10; i++) {
      if (bytes[i] != 0) {
        return false;
      }
    }
    return bytes[10] == (byte) 0xff && bytes[11] == (byte) 0xff;
  }
}
