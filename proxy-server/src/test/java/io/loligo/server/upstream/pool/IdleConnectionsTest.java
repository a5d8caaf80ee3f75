package io.loligo.server.upstream.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ProxyConfig;
import io.loligo.core.message.Fields;
import io.loligo.server.record.HopTls;
import io.loligo.server.tls.TlsOptions;
import io.loligo.server.tunnel.ByteStream;
import io.loligo.server.upstream.CountedConnections;
import io.loligo.server.upstream.FetchTimings;
import io.loligo.server.upstream.LocalEnd;
import io.loligo.server.upstream.OutgoingConnect;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.RequestForm;
import io.loligo.server.upstream.Settings;
import io.loligo.server.upstream.tls.OriginContext;
import io.loligo.server.upstream.tls.OriginContexts;
import io.netty.buffer.ByteBuf;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

class IdleConnectionsTest {
  private static final Endpoint CLEAR = Endpoint.clear(InetAddress.getLoopbackAddress(), 443);

  private final CountedConnections counted = new CountedConnections();
  private final IdleConnections pool =
      new IdleConnections(new ConnectionSettings(new Settings().build()), counted);

  private static OriginContext context() throws IOException {
    ProxyConfig config = new Settings().build();
    return OriginContexts.of(config, OriginContexts.none(), Runnable::run).of(TlsOptions.DEFAULT);
  }

  @Test
  void givesAConnectionOnlyToItsEndpoint() throws IOException {
    OriginContext context = context();
    Endpoint.Security a = new Endpoint.Security("a.example", List.of("h2", "http/1.1"), context);
    List<Endpoint> all =
        List.of(
            CLEAR,
            Endpoint.clear(InetAddress.getLoopbackAddress(), 80),
            with(a, null),
            with(new Endpoint.Security("b.example", a.protocols(), context), null),
            with(new Endpoint.Security("a.example", List.of("http/1.1"), context), null),
            with(new Endpoint.Security("a.example", a.protocols(), context()), null),
            with(Endpoint.Security.NONE, new Endpoint.Tunnel("a.example", 443, a)),
            with(Endpoint.Security.NONE, new Endpoint.Tunnel("b.example", 443, a)),
            with(a, new Endpoint.Tunnel("b.example", 443, a)),
            of("198.51.100.1"),
            of("198.51.100.2"));
    for (Endpoint one : all) {
      Connection kept = new Connection(one, /* shared= */ false);
      pool.idle(kept);
      for (Endpoint other : all) {
        if (!other.equals(one)) {
          assertThat(pool.take(other)).as("%s for %s", one, other).isNull();
        }
      }
      Endpoint same =
          new Endpoint(one.local(), one.address(), one.port(), one.security(), null, one.tunnel());
      assertThat(pool.take(same)).isSameAs(kept);
      assertThat(counted.idle).isZero();
    }
  }

  @Test
  void keepsASharedConnectionWhileItsLeasesAreInUse() {
    Connection shared = new Connection(CLEAR, /* shared= */ true);
    pool.idle(shared);
    assertThat(pool.take(CLEAR)).isSameAs(shared);
    assertThat(pool.take(CLEAR)).isSameAs(shared);
    assertThat(counted.idle).isEqualTo(1);
    pool.gone(shared);
    assertThat(pool.take(CLEAR)).isNull();
  }

  @Test
  void aRequestThatMustNotBeSentTwiceGetsALivingConnectionOnly() {
    Connection alive = new Connection(CLEAR, /* shared= */ true);
    alive.alive = true;
    pool.idle(alive);
    pool.idle(new Connection(CLEAR, /* shared= */ false));
    assertThat(pool.takeAlive(CLEAR)).isSameAs(alive);
    assertThat(counted.idle).isEqualTo(2);
    alive.alive = false;
    assertThat(pool.takeAlive(CLEAR)).isNull();
    assertThat(pool.takeAlive(Endpoint.clear(InetAddress.getLoopbackAddress(), 80))).isNull();
  }

  @Test
  void aConnectionThatIsFullLeavesThePool() {
    Connection last = new Connection(CLEAR, /* shared= */ false);
    last.alive = true;
    pool.idle(last);
    assertThat(pool.takeAlive(CLEAR)).isSameAs(last);
    assertThat(counted.idle).isZero();
    assertThat(pool.takeAlive(CLEAR)).isNull();
  }

  @Test
  void closesAConnectionThatGivesNoLease() {
    Connection older = new Connection(CLEAR, /* shared= */ false);
    Connection dead = new Connection(CLEAR, /* shared= */ true);
    dead.usable = false;
    pool.idle(older);
    pool.idle(dead);
    assertThat(pool.take(CLEAR)).isSameAs(older);
    assertThat(dead.closed).isTrue();
    assertThat(counted.idle).isZero();
  }

  private static Endpoint with(Endpoint.Security security, Endpoint.Tunnel tunnel) {
    return new Endpoint(InetAddress.getLoopbackAddress(), 443, security, null, tunnel);
  }

  private static Endpoint of(String client) {
    InetAddress from = NetUtil.createInetAddressFromIpAddressString(client);
    return new Endpoint(
        LocalEnd.ANY.ofClient(from),
        InetAddress.getLoopbackAddress(),
        443,
        Endpoint.Security.NONE,
        null,
        null);
  }

  private static final class Connection implements PooledConnection, Lease {
    private final Endpoint endpoint;
    private final boolean shared;
    private boolean usable = true;
    private boolean alive;
    private boolean closed;

    Connection(Endpoint endpoint, boolean shared) {
      this.endpoint = endpoint;
      this.shared = shared;
    }

    @Override
    public Endpoint endpoint() {
      return endpoint;
    }

    @Override
    public void secured(HopTls facts) {}

    @Override
    public HopTls secured() {
      return null;
    }

    @Override
    public Lease lease() {
      return usable ? this : null;
    }

    @Override
    public boolean isShared() {
      return shared;
    }

    @Override
    public boolean mayBeRefused() {
      return false;
    }

    @Override
    public boolean isKnownAlive() {
      return alive;
    }

    @Override
    public boolean adopt(ConnectionSettings settings, Home home) {
      return true;
    }

    @Override
    public void close() {
      closed = true;
    }

    @Override
    public InetSocketAddress localAddress() {
      return null;
    }

    @Override
    public void send(
        OutgoingRequest outgoing, RequestForm form, FetchTimings record, ResponseEvents listener) {}

    @Override
    public void tunnel(
        OutgoingConnect to, RequestForm form, FetchTimings record, ResponseEvents listener) {}

    @Override
    public void keep() {}

    @Override
    public void raw() {}

    @Override
    public void content(ByteBuf content) {
      content.release();
    }

    @Override
    public void endContent(Fields trailers) {}

    @Override
    public boolean writable() {
      return true;
    }

    @Override
    public void read() {}

    @Override
    public void cancel() {}

    @Override
    public ByteStream detach() {
      throw new AssertionError("no tunnel");
    }
  }
}
