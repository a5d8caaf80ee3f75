package io.loligo.bench.micro;

import io.loligo.server.tls.CertificateFiles;
import io.loligo.server.tls.HostCertificates;
import io.loligo.server.tls.KeyPairFile;
import io.loligo.server.tls.ServerIdentity;
import io.loligo.server.tls.ServerTls;
import io.loligo.server.tls.TlsOptions;
import io.loligo.server.tls.TlsProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * How much CPU does a certificate of a decrypted tunnel take, with the context of its handshakes?
 * Each operation makes one for a new name, signed by an authority with this kind of key.
 *
 * <pre>
 * java -jar proxy-bench/target/benchmarks.jar CertificateBenchmark
 * </pre>
 */
@State(Scope.Thread)
public class CertificateBenchmark extends AbstractBenchmark {
  /** Kind of the authority's key, for openssl. */
  @Param({"ec", "rsa:2048"})
  String authority;

  private HostCertificates hosts;
  private Path folder;
  private long number;

  /** Makes the authority; needs openssl. */
  @Setup
  public void authority() throws IOException, InterruptedException {
    folder = Files.createTempDirectory("loligo-authority");
    Path key = folder.resolve("ca.key");
    Path certificate = folder.resolve("ca.crt");
    int status =
        new ProcessBuilder(
                "openssl",
                "req",
                "-x509",
                "-newkey",
                authority,
                "-pkeyopt",
                authority.equals("ec") ? "ec_paramgen_curve:prime256v1" : "rsa_keygen_bits:2048",
                "-nodes",
                "-subj",
                "/CN=Bench",
                "-keyout",
                key.toString(),
                "-out",
                certificate.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("out").toFile())
            .start()
            .waitFor();
    if (status != 0) {
      throw new IOException(Files.readString(folder.resolve("out")));
    }
    hosts =
        new HostCertificates(
            KeyPairFile.read(
                new CertificateFiles(certificate.toString(), key.toString()), null, Instant.now()),
            TlsProvider.choose("auto"),
            TlsOptions.DEFAULT,
            List.of("h2", "http/1.1"),
            HostCertificates.BYTES_EACH,
            0,
            Runnable::run,
            Instant::now);
  }

  /** Removes the files of the authority. */
  @TearDown
  public void remove() throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  /** A certificate for the next name. */
  @Benchmark
  public ServerTls make() {
    return hosts.of(ServerIdentity.unknown("host" + number++ + ".example.com"), true).join();
  }
}
