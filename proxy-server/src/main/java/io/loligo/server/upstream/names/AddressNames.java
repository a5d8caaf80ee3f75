package io.loligo.server.upstream.names;

import io.loligo.core.acl.AclInput;
import io.loligo.core.message.IpText;
import io.loligo.server.time.LoopTimer;
import io.netty.channel.AddressedEnvelope;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.dns.DefaultDnsQuestion;
import io.netty.handler.codec.dns.DnsPtrRecord;
import io.netty.handler.codec.dns.DnsRecord;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponse;
import io.netty.handler.codec.dns.DnsSection;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Names of addresses: the hosts file, then PTR records (RFC 1035 section 3.5, RFC 3596 section 2.5)
 * with a bounded cache. Answers are kept as those of {@link DnsNames}. Whoever owns an address
 * chooses its name, so a name only tells what its owner wants to be called. Confined to its event
 * loop.
 */
final class AddressNames {
  /** Most addresses kept. */
  static final int MAX_ADDRESSES = 1_024;

  private static final int MAX_NAME = 253;

  private final EventLoop loop;
  private final LoopTimer timer;
  private final Supplier<DnsNameResolver> resolver;
  private final Map<String, Known> cache = new Cache();
  private final Map<String, Lookup> running = new HashMap<>();

  /** None known; {@code resolver} gives the one of the settings in force. */
  AddressNames(EventLoop loop, LoopTimer timer, Supplier<DnsNameResolver> resolver) {
    this.loop = loop;
    this.timer = timer;
    this.resolver = resolver;
  }

  private record Known(String name, long deadlineNanos) {}

  /** The least recently used addresses are forgotten first. */
  private static final class Cache extends LinkedHashMap<String, Known> {
    private static final long serialVersionUID = 1;

    Cache() {
      super(64, 0.75f, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Known> eldest) {
      return size() > MAX_ADDRESSES;
    }
  }

  /** Addresses in the cache. */
  int size() {
    return cache.size();
  }

  /** The first {@code most} in the cache. A new list. */
  List<CachedAnswer> copy(int most) {
    long now = loop.ticker().nanoTime();
    List<CachedAnswer> copies = new ArrayList<>();
    for (Map.Entry<String, Known> one : cache.entrySet()) {
      if (copies.size() == most) {
        break;
      }
      Known known = one.getValue();
      copies.add(
          new CachedAnswer(
              one.getKey(),
              known.name.isEmpty() ? List.of() : List.of(known.name),
              TimeUnit.NANOSECONDS.toSeconds(known.deadlineNanos - now)));
    }
    return copies;
  }

  /** Forgets all answers; those that are under way are not kept. */
  void clear() {
    cache.clear();
    running.clear();
  }

  /** The name known now, or null. */
  @Nullable String known(String address, DnsSettings settings) {
    String listed = settings.names().get(IpText.normal(address));
    if (listed != null) {
      return listed;
    }
    Known known = cache.get(address);
    if (known == null) {
      return null;
    }
    if (loop.ticker().nanoTime() - known.deadlineNanos >= 0) {
      cache.remove(address);
      return null;
    }
    return known.name;
  }

  /** Looks it up; equal questions at the same time are sent once. */
  void find(String address, DnsSettings settings, Consumer<String> done) {
    String known = known(address, settings);
    if (known != null) {
      done.accept(known);
      return;
    }
    Lookup lookup = running.get(address);
    if (lookup != null) {
      lookup.waiting.add(done);
      return;
    }
    lookup = new Lookup(address, settings.config());
    lookup.waiting.add(done);
    running.put(address, lookup);
    lookup.start();
  }

  /** The domain whose PTR record names {@code address}. */
  static String question(String address) {
    byte[] bytes = IpText.parse(address);
    if (bytes == null) {
      throw new IllegalArgumentException(address + " is not an address");
    }
    StringBuilder text = new StringBuilder();
    for (int i = bytes.length - 1; i >= 0; i--) {
      int one = bytes[i] & 0xff;
      if (bytes.length == 4) {
        text.append(one).append('.');
      } else {
        text.append(Character.forDigit(one & 15, 16)).append('.');
        text.append(Character.forDigit(one >> 4, 16)).append('.');
      }
    }
    return text.append(bytes.length == 4 ? "in-addr.arpa." : "ip6.arpa.").toString();
  }

  /** {@code hostname} of a PTR record as rules see it; a name that no host can have is none. */
  static String name(String hostname) {
    String name = hostname.endsWith(".") ? hostname.substring(0, hostname.length() - 1) : hostname;
    boolean valid =
        !name.isEmpty()
            && name.length() <= MAX_NAME
            && name.chars().allMatch(c -> c == '.' || c == '-' || c == '_' || isLetterOrDigit(c));
    return valid ? name.toLowerCase(Locale.ROOT) : AclInput.NO_NAME;
  }

  private static boolean isLetterOrDigit(int c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }

  /** One question and all waiters for its answer. */
  private final class Lookup extends LoopTimer.Timeout {
    private final String address;
    private final NameSettings config;
    private final List<Consumer<String>> waiting = new ArrayList<>(2);
    private boolean over;

    Lookup(String address, NameSettings config) {
      this.address = address;
      this.config = config;
    }

    void start() {
      timer.arm(this, config.timeoutMillis);
      DefaultDnsQuestion question = new DefaultDnsQuestion(question(address), DnsRecordType.PTR);
      Future<AddressedEnvelope<DnsResponse, InetSocketAddress>> answer;
      try {
        answer = resolver.get().query(question);
      } catch (RuntimeException e) {
        finish(AclInput.NO_NAME, config.negativeTtlSeconds);
        return;
      }
      answer.addListener(
          (Future<AddressedEnvelope<DnsResponse, InetSocketAddress>> future) -> answered(future));
    }

    @Override
    protected void expired() {
      silent();
    }

    private void answered(Future<AddressedEnvelope<DnsResponse, InetSocketAddress>> future) {
      if (!future.isSuccess()) {
        silent();
        return;
      }
      AddressedEnvelope<DnsResponse, InetSocketAddress> envelope = future.getNow();
      try {
        read(envelope.content());
      } finally {
        envelope.release();
      }
    }

    private void read(DnsResponse response) {
      for (int i = 0; i < response.count(DnsSection.ANSWER); i++) {
        DnsRecord record = response.recordAt(DnsSection.ANSWER, i);
        if (record instanceof DnsPtrRecord pointer) {
          long atLeast = Math.max(1, config.negativeTtlSeconds);
          finish(
              name(pointer.hostname()),
              Math.min(config.positiveTtlSeconds, Math.max(atLeast, pointer.timeToLive())));
          return;
        }
      }
      finish(AclInput.NO_NAME, config.negativeTtlSeconds);
    }

    private void silent() {
      finish(AclInput.NO_NAME, Math.min(DnsNames.SILENCE_SECONDS, config.negativeTtlSeconds));
    }

    private void finish(String name, long seconds) {
      if (over) {
        return;
      }
      over = true;
      timer.forget(this);
      if (running.remove(address, this) && seconds > 0) {
        long deadlineNanos = loop.ticker().nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        cache.put(address, new Known(name, deadlineNanos));
      }
      waiting.forEach(done -> done.accept(name));
    }
  }
}
