package io.loligo.server.wire;

import io.loligo.server.Waiting;
import io.loligo.server.jmx.OriginConnectionsMXBean;
import io.loligo.server.jmx.OriginPool;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import javax.management.JMX;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

/** The connections to each origin, as JMX shows them. */
class OriginConnectionsWireTest extends WireTest {
  private static Map<String, OriginPool> pools() {
    try {
      return JMX.newMXBeanProxy(
              ManagementFactory.getPlatformMBeanServer(),
              new ObjectName("io.loligo:type=OriginConnections"),
              OriginConnectionsMXBean.class)
          .getPools();
    } catch (MalformedObjectNameException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String shown(OriginPool pool) {
    return pool == null
        ? "none"
        : pool.getHost()
            + " open "
            + pool.getOpen()
            + " idle "
            + pool.getIdle()
            + " waiting "
            + pool.getWaiting();
  }

  private static void await(String endpoint, String expected) throws Exception {
    Waiting.until(expected, () -> shown(pools().get(endpoint)).equals(expected));
  }

  @Test
  void countsOpenIdleAndWaiting() throws Exception {
    startProxy("loligo_event_loops 2");
    CountDownLatch held = new CountDownLatch(1);
    origin.on(
        "/held",
        call -> {
          held.await();
          call.ok("x");
        });
    String endpoint = "127.0.0.1:" + origin.port();
    try (RawClient client = client()) {
      client.get(origin.url("/held"));
      await(endpoint, "127.0.0.1 open 1 idle 0 waiting 0");
      held.countDown();
      client.response();
      await(endpoint, "127.0.0.1 open 1 idle 1 waiting 0");
    }
    try (ServerSocket silent = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
      String server = "127.0.0.1:" + silent.getLocalPort();
      try (RawClient client = client()) {
        client.send("GET https://" + server + "/ HTTP/1.1\r\nHost: " + server + "\r\n\r\n");
        await(server + " 127.0.0.1", "127.0.0.1 open 0 idle 0 waiting 1");
      }
      await(server + " 127.0.0.1", "none");
    }
  }

  @Test
  void aClosedConnectionIsForgotten() throws Exception {
    startProxy();
    origin.onOk("/a", "x", "Connection: close");
    get("/a");
    await("127.0.0.1:" + origin.port(), "none");
  }
}
