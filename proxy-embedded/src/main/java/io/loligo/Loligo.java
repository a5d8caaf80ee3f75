package io.loligo;

import io.loligo.core.config.ConfigProblem;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.admin.PurgeForm;
import io.loligo.server.boot.Proxy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A running proxy inside an application. Thread-safe: any thread, except that the event loops of
 * the proxy, which call hooks, must call nothing here.
 *
 * <p>A proxy has its own threads, ports and memory, and {@link #close} frees them. It sets no
 * signal handler, never ends the JVM, configures no log, and registers nothing in JMX. It logs
 * through SLF4J. Without a {@code cache_dir}, the JVM needs no flag.
 *
 * <pre>{@code
 * try (var proxy = Loligo.start(config -> config.cacheMemory(64 << 20))) {
 *   HttpClient client = HttpClient.newBuilder().proxy(proxy.proxySelector()).build();
 *   ...
 * }
 * }</pre>
 */
public final class Loligo implements AutoCloseable {
  private static final String NAME = "embedded";

  private final Proxy proxy;

  private Loligo(Proxy proxy) {
    this.proxy = proxy;
  }

  /**
   * Starts a proxy, and returns when its ports are open.
   *
   * @param settings sets it up, on the calling thread, before this returns
   * @throws IOException if a port, a log or a cache_dir is not available
   * @throws IllegalArgumentException if a line of the configuration is wrong; names all problems
   */
  public static Loligo start(Consumer<LoligoConfig> settings) throws IOException {
    LoligoConfig config = new LoligoConfig();
    settings.accept(config);
    ConfigResult read = Proxy.embeddable(NAME, config.text());
    ProxyConfig usable = read.config();
    if (usable == null) {
      throw new IllegalArgumentException(
          read.errors().stream().map(ConfigProblem::text).collect(Collectors.joining("\n")));
    }
    return new Loligo(Proxy.embed(usable, config.time(), config.hooks()));
  }

  /** The address of its first port, as bound. */
  public InetSocketAddress address() {
    return addresses().get(0);
  }

  /** The addresses of all its ports, as bound, in the order of their lines. */
  public List<InetSocketAddress> addresses() {
    return proxy.addresses();
  }

  /** The URL of its first port, for clients that want one, such as {@code http_proxy} of curl. */
  public URI url() {
    InetSocketAddress bound = reachable();
    String host = bound.getAddress().getHostAddress();
    return URI.create(
        "http://" + (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + bound.getPort());
  }

  /**
   * Leads clients of {@code java.net.http} and {@link java.net.URLConnection} to its first port.
   */
  public ProxySelector proxySelector() {
    return ProxySelector.of(reachable());
  }

  private InetSocketAddress reachable() {
    InetSocketAddress bound = address();
    return bound.getAddress().isAnyLocalAddress()
        ? new InetSocketAddress(InetAddress.getLoopbackAddress(), bound.getPort())
        : bound;
  }

  /**
   * Removes all stored responses of {@code url}. From the completion on, none of them is served.
   *
   * @return completes on any thread
   * @throws IllegalArgumentException if it is not an http or https URL
   */
  public CompletableFuture<PurgeResult> purge(String url) {
    return purged(PurgeForm.url(url, /* soft= */ false));
  }

  /**
   * Removes all stored responses with any of these surrogate keys, which origins give in the field
   * Surrogate-Key.
   *
   * @return completes on any thread
   * @throws IllegalArgumentException if there is no key
   */
  public CompletableFuture<PurgeResult> purgeKeys(String... keys) {
    return purged(PurgeForm.keys(List.of(keys), /* soft= */ false));
  }

  /**
   * Removes all stored responses under a URL in which {@code regex}, a POSIX extended expression,
   * is found.
   *
   * @return completes on any thread
   * @throws IllegalArgumentException if the expression is wrong
   */
  public CompletableFuture<PurgeResult> purgeMatching(String regex) {
    return purged(PurgeForm.pattern(null, regex, /* soft= */ false));
  }

  private CompletableFuture<PurgeResult> purged(PurgeForm form) {
    return proxy.operations().purge(form.what()).thenApply(PurgeResult::new);
  }

  /**
   * Its numbers since the start. An exchange is counted when the last byte of its response was
   * written, so a client may have read a response that is not counted yet.
   */
  public LoligoStats stats() {
    return new LoligoStats(proxy.metrics(), proxy.store().stats());
  }

  /**
   * Stops listening and lets running exchanges end, at most for {@code shutdown_lifetime}. {@link
   * #close} is still necessary.
   *
   * @return completes when no connection is open any more
   */
  public CompletableFuture<Void> drain() {
    return proxy.drain().copy();
  }

  /** Ends running exchanges at once, and frees all threads, ports and memory. Idempotent. */
  @Override
  public void close() {
    proxy.close();
  }
}
