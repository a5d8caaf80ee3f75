package io.loligo.server.jfr;

import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Locale;
import javax.net.ssl.SSLSession;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

/** A handshake of TLS with a client, an origin or a parent. Confined to the event loop. */
@Name("loligo.TlsHandshake")
@Label("TLS Handshake")
@Category("Loligo")
@Description("A handshake of TLS with a client, or with an origin or parent")
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
@StackTrace(false)
@Threshold("20 ms")
public final class TlsHandshakeEvent extends Event {
  /** The other end of the connection. */
  public enum Side {
    CLIENT,
    /** An origin, a parent or an ICAP service. */
    SERVER
  }

  private static final TlsHandshakeEvent PROBE = new TlsHandshakeEvent();

  @Label("Side")
  @Description("client, or server for origins, parents and ICAP services")
  private @Nullable String side;

  @Label("Peer")
  @Description("Address and port of the other end")
  private @Nullable String peer;

  @Label("Server Name")
  @Description("The name in the client's first message (SNI)")
  private @Nullable String serverName;

  @Label("Version")
  private @Nullable String version;

  @Label("Cipher Suite")
  private @Nullable String cipherSuite;

  @Label("Protocol")
  @Description("The protocol chosen by ALPN")
  private @Nullable String protocol;

  @Label("Failure")
  @Description("Why the handshake failed; null if it succeeded")
  private @Nullable String failure;

  private TlsHandshakeEvent() {}

  static @Nullable TlsHandshakeEvent begun() {
    if (!PROBE.isEnabled()) {
      return null;
    }
    TlsHandshakeEvent event = new TlsHandshakeEvent();
    event.begin();
    return event;
  }

  /**
   * Records the event, if it took long enough.
   *
   * @param with the side of the other end
   * @param address of the other end
   * @param name in the client's first message; null: none
   * @param session of a connection that is secure; null: the handshake failed
   * @param chosen the protocol by ALPN; null: none
   * @param why it failed; null: it succeeded
   */
  public void ended(
      Side with,
      SocketAddress address,
      @Nullable String name,
      @Nullable SSLSession session,
      @Nullable String chosen,
      @Nullable String why) {
    end();
    if (!shouldCommit()) {
      return;
    }
    side = with.name().toLowerCase(Locale.ROOT);
    peer =
        address instanceof InetSocketAddress ip ? NetUtil.toSocketAddressString(ip) : "" + address;
    serverName = name;
    if (session != null) {
      version = session.getProtocol();
      cipherSuite = session.getCipherSuite();
    }
    protocol = chosen;
    failure = why;
    commit();
  }
}
