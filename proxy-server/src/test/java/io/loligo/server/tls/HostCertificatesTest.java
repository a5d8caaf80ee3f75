package io.loligo.server.tls;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.netty.util.ResourceLeakDetector;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The cost of certificates for decrypted tunnels. */
final class HostCertificatesTest {
  private static final int EACH = 50;

  @TempDir Path dir;

  private HostCertificates hosts() throws TlsFileException {
    String office = TestAuthority.root("Office").writePair(dir, "office.pem").toString();
    return new HostCertificates(
        KeyPairFile.read(new CertificateFiles(office, office), null, Instant.now()),
        TlsProvider.choose("auto"),
        TlsOptions.DEFAULT,
        List.of("h2", "http/1.1"),
        HostCertificates.BYTES_EACH,
        0,
        Runnable::run,
        Instant::now);
  }

  private static void make(HostCertificates hosts, String name, boolean ecdsa) {
    assertThat(hosts.of(ServerIdentity.unknown(name), ecdsa).join()).isNotNull();
  }

  /** A derived key, or the authorities of the Java runtime, in each context would take more. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aContextNeitherEncryptsItsKeyNorReadsAuthorities(boolean ecdsa) throws Exception {
    ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
    // its notes are many times as large
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    try {
      assertThat(heapOfEach(hosts(), ecdsa)).isLessThan(200_000);
    } finally {
      ResourceLeakDetector.setLevel(level);
    }
  }

  private static long heapOfEach(HostCertificates hosts, boolean ecdsa) {
    ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = 0;
    for (int i = -EACH; i < EACH; i++) {
      if (i == 0) {
        before = thread.getCurrentThreadAllocatedBytes();
      }
      make(hosts, "host" + i + ".test", ecdsa);
    }
    return (thread.getCurrentThreadAllocatedBytes() - before) / EACH;
  }
}
