package io.loligo.bench.micro;

import io.loligo.server.accesslog.AccessLog;
import io.loligo.server.accesslog.LogSettings;
import io.loligo.server.boot.Features;
import io.loligo.server.boot.FileConfigSource;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.ExchangeSink;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.ThreadParams;

/**
 * What does a line in the access log cost the event loop: composing it and giving it to the writer?
 * The writer's own time, on another thread, is not in the figure; lines that it cannot take in time
 * are dropped, as they are in the proxy. Each thread is an event loop, all of them before one log
 * and one writer: {@code -t 8} tells whether they disturb each other.
 *
 * <pre>
 * java -jar proxy-bench/target/benchmarks.jar LogBenchmark -prof gc
 * java -jar proxy-bench/target/benchmarks.jar LogBenchmark -p format=squid -t 8
 * </pre>
 */
@State(Scope.Thread)
public class LogBenchmark extends AbstractBenchmark {
  private static final byte[] REQUEST =
      ("GET http://bench.example/articles/2004/01/story.html HTTP/1.1\r\nHost: bench.example\r\n"
              + "Referer: http://bench.example/\r\nUser-Agent: bench/1.0\r\n\r\n")
          .getBytes(StandardCharsets.US_ASCII);

  private ExchangeRecord record;
  private ExchangeSink sink;

  /** The log, which event loops share. */
  @State(Scope.Benchmark)
  public static class Shared {
    @Param({"squid", "combined"})
    String format;

    private AccessLog log;

    @Setup
    public void open(ThreadParams threads) throws IOException {
      log =
          AccessLog.open(
              new LogSettings(
                  Objects.requireNonNull(
                      Features.reader(new FileConfigSource())
                          .readText(
                              "bench",
                              "http_port 80\nhttp_access allow all\naccess_log stdio:/dev/null "
                                  + format
                                  + "\n")
                          .config())),
              threads.getThreadCount(),
              () -> {});
    }

    @TearDown
    public void close() {
      log.close();
    }
  }

  @Setup
  public void begin(Shared shared, ThreadParams threads) {
    sink = shared.log.loop(threads.getThreadIndex());
    record = SampleExchange.hit(REQUEST, 4444);
  }

  @Benchmark
  public void line() {
    record.endMillis++;
    sink.finished(record);
  }
}
