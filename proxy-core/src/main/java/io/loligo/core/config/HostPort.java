package io.loligo.core.config;

import org.jspecify.annotations.Nullable;

/** An optional address and a port as text. Immutable; the address is empty if not given. */
public record HostPort(String address, int port) {
  private static final int PORT_MAX = 65_535;

  /** Reads {@code port}, {@code host:port} or {@code [v6]:port}; null if it is neither. */
  public static @Nullable HostPort parse(String text) {
    int colon = text.lastIndexOf(':');
    String address = colon < 0 ? "" : text.substring(0, colon);
    String port = text.substring(colon + 1);
    if (!port.matches("[0-9]{1,5}") || Integer.parseInt(port) > PORT_MAX || colon == 0) {
      return null;
    }
    if (address.startsWith("[") && address.endsWith("]")) {
      address = address.substring(1, address.length() - 1);
    } else if (address.indexOf(':') >= 0 || address.indexOf('/') >= 0) {
      return null;
    }
    return new HostPort(address, Integer.parseInt(port));
  }

  /** {@code host:port}, with brackets around IPv6. */
  public String text() {
    return (address.indexOf(':') >= 0 ? "[" + address + "]" : address) + ":" + port;
  }
}
