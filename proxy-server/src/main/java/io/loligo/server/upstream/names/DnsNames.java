package io.loligo.server.upstream.names;

import io.loligo.server.time.LoopTimer;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.dns.DnsRecord;
import io.netty.resolver.HostsFileEntriesResolver;
import io.netty.resolver.ResolvedAddressTypes;
import io.netty.resolver.dns.DnsCache;
import io.netty.resolver.dns.DnsCacheEntry;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.DnsNameResolverTimeoutException;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Names by DNS, with a bounded cache of positive and negative answers. Confined to its event loop.
 *
 * <p>A positive answer is kept for its TTL, but no longer than {@code positive_dns_ttl} and no
 * shorter than {@code negative_dns_ttl} (at least one second); a negative one for {@code
 * negative_dns_ttl}, a missing one for at most {@value #SILENCE_SECONDS} s. Equal questions at the
 * same time are sent once.
 */
public final class DnsNames implements NameResolver, AutoCloseable {
  /** Most names kept. */
  public static final int MAX_NAMES = 8_192;

  /** How long a name is not asked again after no server answered. */
  public static final int SILENCE_SECONDS = 5;

  private static final long USUAL_QUERY_MILLIS = 5_000;
  private static final List<InetAddress> LOOPBACK = List.of(NetUtil.LOCALHOST4, NetUtil.LOCALHOST6);

  private final EventLoop loop;
  private final LoopTimer timer;
  private final ChannelFactory<? extends DatagramChannel> datagrams;
  private final ChannelFactory<? extends SocketChannel> sockets;
  private final Supplier<DnsSettings> settings;
  private final Map<String, Known> names = new Names();
  private final Map<String, Lookup> running = new HashMap<>();
  private final AddressNames addressNames;
  private final Ttl ttl = new Ttl();
  private @Nullable DnsSettings current;

  /** Null until its first question: it draws tens of thousands of random numbers first. */
  private @Nullable DnsNameResolver resolver;

  /** A resolver on {@code loop}; when the supplier's value changes it starts again with that. */
  public DnsNames(
      EventLoop loop,
      LoopTimer timer,
      ChannelFactory<? extends DatagramChannel> datagrams,
      ChannelFactory<? extends SocketChannel> sockets,
      Supplier<DnsSettings> settings) {
    this.loop = loop;
    this.timer = timer;
    this.datagrams = datagrams;
    this.sockets = sockets;
    this.settings = settings;
    this.addressNames = new AddressNames(loop, timer, this::resolver);
  }

  @Override
  public @Nullable List<InetAddress> known(String host) {
    Known known = lookUp(host);
    return known == null ? null : known.addresses;
  }

  @Override
  public void resolve(String host, Listener listener) {
    assert loop.inEventLoop();
    Known known = lookUp(host);
    if (known != null) {
      listener.resolved(known.addresses, known.failure);
      return;
    }
    Lookup lookup = running.get(host);
    if (lookup != null) {
      lookup.listeners.add(listener);
      return;
    }
    lookup = new Lookup(host);
    lookup.listeners.add(listener);
    running.put(host, lookup);
    lookup.start();
  }

  @Override
  public @Nullable String knownName(String address) {
    return addressNames.known(address, refresh());
  }

  @Override
  public void findName(String address, Consumer<String> done) {
    assert loop.inEventLoop();
    addressNames.find(address, refresh(), done);
  }

  /** Names in the cache. */
  public int size() {
    return names.size();
  }

  /** Addresses in the cache. */
  public int addresses() {
    return addressNames.size();
  }

  /** The first {@code most} names in the cache. A new list; on the loop. */
  public List<CachedAnswer> copyNames(int most) {
    long now = loop.ticker().nanoTime();
    return names.entrySet().stream()
        .limit(most)
        .map(
            one ->
                new CachedAnswer(
                    one.getKey(),
                    one.getValue().addresses.stream().map(NetUtil::toAddressString).toList(),
                    TimeUnit.NANOSECONDS.toSeconds(one.getValue().deadlineNanos - now)))
        .toList();
  }

  /** The same of addresses whose names were looked up. */
  public List<CachedAnswer> copyAddresses(int most) {
    return addressNames.copy(most);
  }

  @Override
  public void close() {
    if (resolver != null) {
      resolver.close();
      resolver = null;
      current = null;
    }
  }

  private @Nullable Known lookUp(String host) {
    DnsSettings now = refresh();
    InetAddress literal = DnsSettings.literal(host);
    if (literal != null) {
      return new Known(List.of(literal), null, 0);
    }
    if (host.equals("localhost") || host.endsWith(".localhost")) {
      return new Known(LOOPBACK, null, 0);
    }
    List<InetAddress> listed = now.hosts().get(host);
    if (listed != null) {
      return new Known(listed, null, 0);
    }
    Known known = names.get(host);
    if (known == null) {
      return null;
    }
    if (loop.ticker().nanoTime() - known.deadlineNanos >= 0) {
      names.remove(host);
      return null;
    }
    return known;
  }

  private DnsSettings refresh() {
    DnsSettings wanted = settings.get();
    if (inForce(wanted)) {
      return wanted;
    }
    DnsNameResolver old = resolver;
    if (old != null) {
      assert current != null : "a resolver without settings";
      loop.schedule(old::close, current.config().timeoutMillis, TimeUnit.MILLISECONDS);
    }
    current = wanted;
    names.clear();
    addressNames.clear();
    resolver = null;
    return wanted;
  }

  @SuppressWarnings("ReferenceEquality") // a reload makes new settings, even if they are equal
  private boolean inForce(DnsSettings some) {
    return some == current;
  }

  private DnsNameResolver resolver() {
    assert current != null : "refresh comes first";
    if (resolver == null) {
      resolver = build(current);
    }
    return resolver;
  }

  private DnsNameResolver build(DnsSettings from) {
    NameSettings config = from.config();
    return new DnsNameResolverBuilder(loop)
        .datagramChannelFactory(datagrams)
        .socketChannelFactory(sockets)
        .nameServerProvider(from.servers())
        .resolveCache(ttl)
        .hostsFileEntriesResolver(new NoHosts())
        .searchDomains(List.of())
        .resolvedAddressTypes(
            config.v4First
                ? ResolvedAddressTypes.IPV4_PREFERRED
                : ResolvedAddressTypes.IPV6_PREFERRED)
        .completeOncePreferredResolved(false)
        .queryTimeoutMillis(queryMillis(config))
        .build();
  }

  /** Longest wait for one server before the next one is asked. */
  private static long queryMillis(NameSettings config) {
    long millis = config.retransmitMillis > 0 ? config.retransmitMillis : USUAL_QUERY_MILLIS;
    return config.timeoutMillis > 0 ? Math.min(millis, config.timeoutMillis) : millis;
  }

  private static String questionName(String host, NameSettings config) {
    String domain = config.appendDomain;
    return domain == null || domain.isEmpty() || host.indexOf('.') >= 0 ? host : host + domain;
  }

  /** The cached answer for a name. */
  private record Known(List<InetAddress> addresses, @Nullable String failure, long deadlineNanos) {}

  /** The least recently used names are forgotten first. */
  private static final class Names extends LinkedHashMap<String, Known> {
    private static final long serialVersionUID = 1;

    Names() {
      super(64, 0.75f, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Known> eldest) {
      return size() > MAX_NAMES;
    }
  }

  /** One question and all waiters for its answer. */
  private final class Lookup extends LoopTimer.Timeout {
    private final String host;
    private final List<Listener> listeners = new ArrayList<>(2);
    private final DnsSettings asked;
    private boolean over;

    Lookup(String host) {
      assert current != null : "lookUp comes first";
      this.host = host;
      this.asked = current;
    }

    void start() {
      timer.arm(this, asked.config().timeoutMillis);
      String question = questionName(host, asked.config());
      Future<List<InetAddress>> answer;
      try {
        answer = resolver().resolveAll(question);
      } catch (RuntimeException e) {
        unknown(host + ": " + e.getMessage(), asked.config().negativeTtlSeconds);
        return;
      }
      answer.addListener((Future<List<InetAddress>> future) -> answered(question, future));
    }

    @Override
    protected void expired() {
      silent();
    }

    private void answered(String question, Future<List<InetAddress>> future) {
      int seconds = ttl.take(question);
      if (over) {
        return;
      }
      if (future.isSuccess()) {
        long atLeast = Math.max(1, asked.config().negativeTtlSeconds);
        long kept = Math.min(asked.config().positiveTtlSeconds, Math.max(atLeast, seconds));
        finish(List.copyOf(future.getNow()), null, kept);
      } else if (timedOut(future.cause())) {
        silent();
      } else {
        unknown(host + ": " + firstLine(future.cause()), asked.config().negativeTtlSeconds);
      }
    }

    private void silent() {
      unknown(
          host + ": no nameserver answered in time",
          Math.min(SILENCE_SECONDS, asked.config().negativeTtlSeconds));
    }

    private void unknown(String failure, long seconds) {
      finish(List.of(), failure, seconds);
    }

    private void finish(List<InetAddress> addresses, @Nullable String failure, long seconds) {
      if (over) {
        return;
      }
      over = true;
      timer.forget(this);
      running.remove(host, this);
      if (seconds > 0 && inForce(asked)) {
        long deadlineNanos = loop.ticker().nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        names.put(host, new Known(addresses, failure, deadlineNanos));
      }
      for (Listener listener : listeners) {
        listener.resolved(addresses, failure);
      }
    }
  }

  private static boolean timedOut(Throwable cause) {
    for (Throwable t = cause; t != null; t = t.getCause()) {
      if (t instanceof DnsNameResolverTimeoutException) {
        return true;
      }
    }
    return false;
  }

  private static String firstLine(Throwable cause) {
    String text = String.valueOf(cause.getMessage());
    int end = text.indexOf('\n');
    return end < 0 ? text : text.substring(0, end);
  }

  /** Not a cache: it receives the TTLs, which the resolver gives only to its cache. */
  private static final class Ttl implements DnsCache {
    private final Map<String, Integer> secondsByName = new HashMap<>();

    /** The smallest TTL of the name since the last call; 0 for none. */
    int take(String name) {
      Integer seconds = secondsByName.remove(name);
      return seconds == null ? 0 : seconds;
    }

    @Override
    public void clear() {}

    @Override
    public boolean clear(String hostname) {
      return false;
    }

    @Override
    public List<? extends DnsCacheEntry> get(String hostname, DnsRecord[] additionals) {
      return List.of();
    }

    @Override
    public DnsCacheEntry cache(
        String hostname,
        DnsRecord[] additionals,
        InetAddress address,
        long originalTtl,
        EventLoop loop) {
      String name =
          hostname.endsWith(".") ? hostname.substring(0, hostname.length() - 1) : hostname;
      secondsByName.merge(name, (int) Math.min(originalTtl, Integer.MAX_VALUE), Math::min);
      return new Seen(address, null);
    }

    @Override
    public DnsCacheEntry cache(
        String hostname, DnsRecord[] additionals, Throwable cause, EventLoop loop) {
      return new Seen(null, cause);
    }
  }

  /** The last answer. */
  private record Seen(@Nullable InetAddress address, @Nullable Throwable cause)
      implements DnsCacheEntry {}

  /** The hosts file is read before the resolver is asked. */
  private static final class NoHosts implements HostsFileEntriesResolver {
    @Override
    public @Nullable InetAddress address(
        String inetHost, ResolvedAddressTypes resolvedAddressTypes) {
      return null;
    }
  }
}
