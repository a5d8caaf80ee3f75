package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import java.lang.management.ManagementFactory;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The numbers of each ICAP service, in /metrics and JMX. */
class IcapMetricsWireTest extends WireTest {
  private final HeldTime time = new HeldTime();
  private ScriptedIcap icap;

  @BeforeEach
  void serve() throws Exception {
    icap = closing(ScriptedIcap.start());
    origin.onOk("/a", "content");
  }

  private void start(String point, String option, String... more) throws Exception {
    String[] lines = new String[3 + more.length];
    lines[0] = "icap_enable on";
    lines[1] = icap.service("scan", point, option);
    lines[2] = "adaptation_access scan allow all";
    System.arraycopy(more, 0, lines, 3, more.length);
    startProxy(time, lines);
  }

  private String admin(String path) throws Exception {
    try (RawClient admin = RawClient.connect(proxy.adminPort())) {
      return admin
          .send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
          .response()
          .text();
    }
  }

  private void awaitCall() throws Exception {
    Waiting.until("the service has a message", () -> !icap.calls().isEmpty());
  }

  private String metric(String name) throws Exception {
    String text = admin("/metrics");
    String series = "loligo_icap_" + name + "{service=\"scan\"} ";
    int at = text.indexOf(series);
    return at < 0 ? text : text.substring(at + series.length(), text.indexOf('\n', at));
  }

  private static long bean(String number) throws Exception {
    TabularData services =
        (TabularData)
            ManagementFactory.getPlatformMBeanServer()
                .getAttribute(new ObjectName("io.loligo:type=Icap"), "Services");
    CompositeData scan = services.get(new Object[] {"scan"});
    TabularData numbers = (TabularData) scan.get("value");
    return (long) numbers.get(new Object[] {number}).get("value");
  }

  @Test
  void anUnchangedResponseCounts() throws Exception {
    icap.options("Preview: 4\r\nTransfer-Preview: *\r\nMax-Connections: 9\r\n");
    start("respmod_precache", "");
    get("/a");
    assertThat(metric("messages_total")).isEqualTo("1.0");
    assertThat(metric("options_total")).isEqualTo("1.0");
    assertThat(metric("unchanged_total")).isEqualTo("1.0");
    assertThat(metric("unchanged_in_preview_total")).isEqualTo("1.0");
    assertThat(metric("adapted_total")).isEqualTo("0.0");
    assertThat(metric("connections")).isEqualTo("1.0");
    assertThat(metric("down")).isEqualTo("0.0");
    int sent = icap.lastCall().head().length() + icap.lastCall().heads().length();
    assertThat(Double.parseDouble(metric("sent_bytes_total"))).isGreaterThan(sent);
    assertThat(bean("messages")).isEqualTo(1);
    assertThat(bean("received_bytes"))
        .isEqualTo((long) Double.parseDouble(metric("received_bytes_total")))
        .isGreaterThan(ScriptedIcap.NO_CONTENT.length());
  }

  @Test
  void changedResponsesAndAnswersCountApart() throws Exception {
    icap.on(ScriptedIcap.response("200 OK", "changed"));
    start("respmod_precache", "");
    get("/a");
    assertThat(metric("adapted_total")).isEqualTo("1.0");
    assertThat(metric("satisfied_total")).isEqualTo("0.0");
    assertThat(metric("unchanged_total")).isEqualTo("0.0");
  }

  @Test
  void anAnswerToARequestCounts() throws Exception {
    icap.on(ScriptedIcap.response("403 No", "denied"));
    start("reqmod_precache", "");
    assertThat(get("/a").status()).isEqualTo(403);
    assertThat(metric("satisfied_total")).isEqualTo("1.0");
    assertThat(metric("adapted_total")).isEqualTo("0.0");
  }

  @Test
  void failuresAndBypassesCount() throws Exception {
    icap.on("ICAP/1.0 500 Broken\r\n\r\n");
    start("reqmod_precache", "bypass=on", "icap_service_failure_limit 0");
    assertThat(get("/a").text()).isEqualTo("content");
    assertThat(metric("failures_total")).isEqualTo("1.0");
    assertThat(metric("bypasses_total")).isEqualTo("1.0");
    assertThat(metric("downs_total")).isEqualTo("1.0");
    assertThat(metric("down")).isEqualTo("1.0");
    assertThat(metric("connections")).isEqualTo("0.0");
  }

  @Test
  void aSilentServiceCountsAsTimeout() throws Exception {
    icap.on(ScriptedIcap.Call::readChunks);
    start("reqmod_precache", "bypass=on", "icap_io_timeout 10 seconds");
    RawClient client = client();
    client.get(origin.url("/a"));
    awaitCall();
    time.passTimeouts(11_000);
    assertThat(client.response().text()).isEqualTo("content");
    assertThat(metric("timeouts_total")).isEqualTo("1.0");
    assertThat(metric("failures_total")).isEqualTo("1.0");
  }

  @Test
  void messagesThatWaitForAConnectionCount() throws Exception {
    icap.on(ScriptedIcap.Call::readChunks);
    start("reqmod_precache", "max-conn=1", "icap_io_timeout 10 seconds");
    client().get(origin.url("/a"));
    awaitCall();
    RawClient second = client();
    second.get(origin.url("/a"));
    Waiting.until("a message waits", () -> metric("waiting").equals("1.0"));
    icap.on("ICAP/1.0 204 No Content\r\n\r\n");
    icap.cut();
    assertThat(second.response().text()).isEqualTo("content");
    assertThat(metric("waiting")).isEqualTo("0.0");
  }
}
