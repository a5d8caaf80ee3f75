package io.loligo.core.acl;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Verdicts that need no text of the request cost no memory. */
class EvaluationAllocatesNothingTest {
  private static final int ROUNDS = 20_000;

  @Test
  void forAddressesPortsMethodsAndDomains() {
    Acls acls = new Acls(host -> List.of(), ZoneOffset.UTC);
    acls.define("lan", AclType.SRC, List.of("10.0.0.0/8", "fc00::/7"));
    acls.define("safe", AclType.PORT, List.of("80", "443", "1025-65535"));
    acls.define("site", AclType.DSTDOMAIN, List.of(".example.org", "a.test"));
    acls.define("group", AclType.ANY_OF, List.of("site", "to_localhost"));
    AclList list =
        acls.compile(
            List.of(
                new AclRule(false, List.of("!safe"), "", ""),
                new AclRule(false, List.of("CONNECT", "lan"), "", ""),
                new AclRule(false, List.of("manager"), "", ""),
                new AclRule(false, List.of("group"), "", ""),
                new AclRule(true, List.of("lan", "!site"), "", "")),
            AclList.denyAll(),
            false);
    FakeRequest request =
        new FakeRequest().client("10.0.0.1").destinations(List.of(new byte[] {9, 9, 9, 9}));
    assertThat(list.evaluate(request).allowed()).isTrue();

    run(list, request);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    run(list, request);
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(allocated).isLessThan(ROUNDS);
  }

  private static void run(AclList list, FakeRequest request) {
    for (int i = 0; i < ROUNDS; i++) {
      list.evaluate(request);
    }
  }
}
