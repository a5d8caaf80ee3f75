package io.loligo.core.proxyprotocol;

import io.loligo.core.message.IpText;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Writes headers of one version of the PROXY protocol. {@link ProxyHeader} reads them. Stateless.
 *
 * <p>Addresses have 4 or 16 bytes; an IPv4-mapped IPv6 address counts as the IPv4 address. If only
 * one of the two is an IPv4 address, version 2 writes it as IPv4-mapped. Version 1 then names no
 * address, because a line has one family. HAProxy does both.
 */
public enum ProxyHeaderVersion {
  /** One line of text. */
  VERSION_1 {
    @Override
    public byte[] header(byte[] source, int sourcePort, byte[] destination, int destinationPort) {
      byte[] from = IpText.unmapped(source);
      byte[] to = IpText.unmapped(destination);
      if (from.length != to.length) {
        return ownHeader();
      }
      String line =
          (from.length == IPV4_BYTES ? "PROXY TCP4 " : "PROXY TCP6 ")
              + IpText.text(from)
              + ' '
              + IpText.text(to)
              + ' '
              + sourcePort
              + ' '
              + destinationPort
              + "\r\n";
      return line.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public byte[] ownHeader() {
      return "PROXY UNKNOWN\r\n".getBytes(StandardCharsets.US_ASCII);
    }
  },

  /** Binary, without extensions. */
  VERSION_2 {
    @Override
    public byte[] header(byte[] source, int sourcePort, byte[] destination, int destinationPort) {
      byte[] from = IpText.unmapped(source);
      byte[] to = IpText.unmapped(destination);
      boolean v4 = from.length == IPV4_BYTES && to.length == IPV4_BYTES;
      int rest = 2 * (v4 ? IPV4_BYTES : IPV6_BYTES) + 2 * Short.BYTES;
      return ByteBuffer.allocate(ProxyHeader.FIXED_BYTES + rest)
          .put(ProxyHeader.SIGNATURE)
          .put((byte) ProxyHeader.PROXY)
          .put((byte) (v4 ? ProxyHeader.TCP4 : ProxyHeader.TCP6))
          .putShort((short) rest)
          .put(v4 ? from : mapped(from))
          .put(v4 ? to : mapped(to))
          .putShort((short) sourcePort)
          .putShort((short) destinationPort)
          .array();
    }

    @Override
    public byte[] ownHeader() {
      return ByteBuffer.allocate(ProxyHeader.FIXED_BYTES)
          .put(ProxyHeader.SIGNATURE)
          .put((byte) ProxyHeader.LOCAL)
          .array();
    }
  };

  private static final int IPV4_BYTES = 4;
  private static final int IPV6_BYTES = 16;
  private static final byte[] MAPPED = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (byte) 0xff, (byte) 0xff};

  /**
   * The header of a connection that passes on that of a client.
   *
   * @param source the client's address
   * @param destination the address that the client connected to
   */
  public abstract byte[] header(
      byte[] source, int sourcePort, byte[] destination, int destinationPort);

  /** The header of a connection that the proxy makes for itself: UNKNOWN, LOCAL. */
  public abstract byte[] ownHeader();

  private static byte[] mapped(byte[] address) {
    return address.length == IPV4_BYTES
        ? ByteBuffer.allocate(IPV6_BYTES).put(MAPPED).put(address).array()
        : address;
  }
}
