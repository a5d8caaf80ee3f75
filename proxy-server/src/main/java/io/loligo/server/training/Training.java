package io.loligo.server.training;

import io.loligo.server.time.TimeSource;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Runs the proxy as a child process, with requests of all usual kinds for a bounded time, and ends
 * it by SIGTERM. Used by one thread.
 */
public final class Training {
  private static final int CLIENTS = 32;

  /** One connection in so many of the clients is followed by one with TLS. */
  private static final int TLS_SHARE = 10;

  /** Connections that fail without a doubt about the whole. */
  private static final int MOST_FAILURES = 5;

  private static final List<String> ADMIN_PAGES = List.of("/", "/metrics", "/whatif", "/status");
  private static final Duration START = Duration.ofMinutes(1);
  private static final Duration STOP = Duration.ofMinutes(2);
  private static final int LOOK_MILLIS = 20;

  private final Path folder;
  private final TimeSource time;
  private final Queue<Exception> failures = new ConcurrentLinkedQueue<>();

  /**
   * Starts nothing yet.
   *
   * @param folder empty; the files of the proxy
   */
  public Training(Path folder, TimeSource time) {
    this.folder = folder;
    this.time = time;
  }

  /**
   * Runs it.
   *
   * @param proxy command for given arguments
   * @param connections of clients; a dozen requests each
   * @param atMost time for these, without start and end
   * @throws IOException if the proxy did not start, serve and end as it should; says why
   */
  public void run(Function<List<String>, List<String>> proxy, int connections, Duration atMost)
      throws IOException, InterruptedException, GeneralSecurityException {
    TrainingCertificate certificate = TrainingCertificate.make();
    certificate.write(folder.resolve("localhost.pem"));
    Path output = folder.resolve("output");
    try (TrainingOrigin origin = new TrainingOrigin()) {
      int[] ports = freePorts();
      Path file = folder.resolve("training.conf");
      Files.writeString(file, configuration(ports, origin.port()));
      Process process =
          new ProcessBuilder(proxy.apply(List.of("run", "-f", file.toString())))
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      Thread end = new Thread(process::destroyForcibly, "training-end");
      Runtime.getRuntime().addShutdownHook(end);
      try {
        process.getOutputStream().close();
        for (int port : ports) {
          await(port, process, output);
        }
        load(connections, atMost, ports, origin.port(), certificate);
        process.destroy();
        if (!process.waitFor(STOP.toMillis(), TimeUnit.MILLISECONDS)) {
          throw new IOException("the proxy does not end" + tail(output));
        }
        if (process.exitValue() != 0) {
          throw new IOException("status " + process.exitValue() + tail(output));
        }
      } finally {
        process.destroyForcibly();
        Runtime.getRuntime().removeShutdownHook(end);
      }
    }
  }

  private String configuration(int[] ports, int originPort) throws IOException {
    return """
    http_port 127.0.0.1:%d
    https_port 127.0.0.1:%d tls-cert=%s accel defaultsite=localhost
    loligo_admin_port 127.0.0.1:%d
    cache_peer 127.0.0.1 parent %d 0 no-query originserver name=origin
    acl secured localport %2$d
    cache_peer_access origin allow secured
    cache_peer_access origin deny all
    never_direct allow secured
    http_access allow all
    cache_mem 8 MB
    cache_dir rock %s 256
    access_log stdio:%s squid
    cache_log %s
    pid_filename none
    shutdown_lifetime 1 second
    """
        .formatted(
            ports[0],
            ports[1],
            folder.resolve("localhost.pem"),
            ports[2],
            originPort,
            Files.createDirectory(folder.resolve("cache")),
            folder.resolve("access.log"),
            folder.resolve("cache.log"));
  }

  private void load(
      int connections, Duration atMost, int[] ports, int originPort, TrainingCertificate trusted)
      throws IOException, InterruptedException, GeneralSecurityException {
    long start = time.nanos();
    AtomicInteger left = new AtomicInteger(connections);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      TrainingClient client = new TrainingClient(i, ports[0], originPort, /* accel= */ false);
      threads.add(repeat(client::connection, left, start, atMost));
    }
    TlsClient secured = new TlsClient(trusted.trusting(), ports[1]);
    AtomicInteger leftSecured = new AtomicInteger(2 + connections / TLS_SHARE / CLIENTS);
    threads.add(
        repeat(
            () -> {
              secured.connection(HttpClient.Version.HTTP_2);
              secured.connection(HttpClient.Version.HTTP_1_1);
            },
            leftSecured,
            start,
            atMost));
    for (Thread thread : threads) {
      thread.join();
    }
    for (String page : ADMIN_PAGES) {
      admin(ports[2], page);
    }
    Exception failed = failures.peek();
    if (failed != null && failures.size() > MOST_FAILURES) {
      throw new IOException("requests failed: " + failed, failed);
    }
  }

  /** Work of a client. */
  private interface Connection {
    void run() throws IOException;
  }

  private Thread repeat(Connection connection, AtomicInteger left, long start, Duration atMost) {
    return TrainingOrigin.daemon(
        "training-client",
        () -> {
          while (left.getAndDecrement() > 0
              && failures.size() <= MOST_FAILURES
              && time.since(start) < atMost.toNanos()) {
            try {
              connection.run();
            } catch (IOException | RuntimeException e) {
              failures.add(e);
            }
          }
        });
  }

  private static void admin(int port, String page) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket
          .getOutputStream()
          .write(
              Message.bytes(
                  "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n"
                      .formatted(page, port)));
      socket.getInputStream().transferTo(OutputStream.nullOutputStream());
    }
  }

  /** Closed now, and hardly taken by another process before the proxy opens them. */
  private static int[] freePorts() throws IOException {
    int[] ports = new int[3];
    List<ServerSocket> held = new ArrayList<>();
    for (int i = 0; i < ports.length; i++) {
      held.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
      ports[i] = held.get(i).getLocalPort();
    }
    for (ServerSocket socket : held) {
      socket.close();
    }
    return ports;
  }

  private void await(int port, Process process, Path output)
      throws IOException, InterruptedException {
    long start = time.nanos();
    while (true) {
      try {
        new Socket(InetAddress.getLoopbackAddress(), port).close();
        return;
      } catch (IOException notYet) {
        if (process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)
            || time.since(start) > START.toNanos()) {
          throw new IOException("the proxy does not start" + tail(output), notYet);
        }
      }
    }
  }

  private static String tail(Path output) throws IOException {
    List<String> lines = Files.readAllLines(output);
    return lines.isEmpty() ? "" : ": " + lines.get(lines.size() - 1);
  }
}
