package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.adapt.AdaptationSettings;
import io.loligo.server.adapt.ServiceCount;
import io.loligo.server.adapt.ServiceCounts;
import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.exchange.settings.ShapingSettings;
import io.loligo.server.helper.HelperCount;
import io.loligo.server.helper.Helpers;
import io.loligo.server.history.HistorySources;
import io.loligo.server.jmx.ManagementBeans;
import io.loligo.server.login.LoginCount;
import io.loligo.server.login.LoginCounts;
import io.loligo.server.login.LoginSettings;
import io.loligo.server.login.Logins;
import io.loligo.server.metrics.MetricsExport;
import io.loligo.server.shaping.PoolCount;
import io.loligo.server.shaping.PoolCounts;
import io.loligo.server.shaping.PoolLevel;
import io.loligo.server.shaping.PoolLevels;
import io.loligo.server.time.TimeSource;
import io.loligo.server.tls.TlsOptions;
import io.loligo.server.upstream.names.DnsSettings;
import io.loligo.server.upstream.names.NameSettings;
import io.loligo.server.upstream.tls.OriginContexts;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The configuration in force and the objects made from it: terms of the loops, logins, helper
 * programs. Reading is thread-safe; it is replaced by one thread at a time.
 */
final class InForce implements Part {
  private final String processMark = Long.toHexString(ThreadLocalRandom.current().nextLong());
  private final List<TlsOptions> ofNodes;
  private final TimeSource time;
  private final Helpers helpers;
  private final Executor files;
  private volatile LoopTerms terms;

  /** Null: nobody can log in. */
  private volatile @Nullable Logins logins;

  /**
   * Reads what {@code config} needs.
   *
   * @param ofNodes TLS with other nodes of the cluster
   * @param helpers have no program yet
   * @param files reads files that an event loop needs
   * @throws IOException if that is not possible
   */
  InForce(
      ProxyConfig config,
      List<TlsOptions> ofNodes,
      TimeSource time,
      Helpers helpers,
      Executor files)
      throws IOException {
    this.ofNodes = List.copyOf(ofNodes);
    this.time = time;
    this.helpers = helpers;
    this.files = files;
    DnsSettings names = DnsSettings.load(new NameSettings(config));
    OriginContexts contexts = OriginContexts.of(config, ofNodes, OriginContexts.none(), files);
    Logins first = Logins.of(LoginSettings.of(config), time, helpers);
    logins = first;
    terms = new LoopTerms(new ExchangeSettings(config, processMark, first), names, contexts);
  }

  /** The configuration. */
  ProxyConfig config() {
    return terms.config();
  }

  /** The terms of the loops. */
  LoopTerms terms() {
    return terms;
  }

  /** The same terms, made again for loops that may have taken others. */
  LoopTerms termsAgain() {
    LoopTerms now = terms;
    ExchangeSettings settings = new ExchangeSettings(now.config(), processMark, logins);
    return new LoopTerms(settings, now.names(), now.contexts());
  }

  /** The objects made from another configuration; {@link #replace} puts them in force. */
  record Next(LoopTerms terms, @Nullable Logins logins) {}

  /**
   * Reads what {@code now} needs.
   *
   * @throws IOException if that is not possible; nothing has changed then
   */
  Next under(ProxyConfig now) throws IOException {
    Logins newLogins = Logins.under(logins, LoginSettings.of(now), time, helpers);
    ExchangeSettings settings = new ExchangeSettings(now, processMark, newLogins);
    DnsSettings names = DnsSettings.load(new NameSettings(now)).orSame(terms.names());
    OriginContexts contexts = OriginContexts.of(now, ofNodes, terms.contexts(), files);
    return new Next(new LoopTerms(settings, names, contexts), newLogins);
  }

  /** All loops use {@code next}: ends the former programs and logins. */
  void replace(Next next) {
    useHelpers(next.terms().config());
    Logins old = logins;
    terms = next.terms();
    logins = next.logins();
    if (old != null) {
      old.replacedBy(next.logins());
    }
  }

  /** Starts the helper programs. */
  void startHelpers() {
    useHelpers(config());
  }

  private void useHelpers(ProxyConfig of) {
    helpers.use(HelperPrograms.of(of));
  }

  private List<LoginCounts> loginCounts() {
    Logins now = logins;
    return now == null ? List.of() : now.counts();
  }

  private List<PoolLevels> poolLevels() {
    return ShapingSettings.levels(config(), time.nanos());
  }

  private List<PoolCounts> poolCounts() {
    return ShapingSettings.counts(config());
  }

  private List<ServiceCounts> icapCounts() {
    return AdaptationSettings.counts(config());
  }

  @Override
  public void showMeters(MetricsExport export) {
    export.helpers(helpers::numbers);
    export.logins(this::loginCounts);
    export.pools(this::poolCounts, this::poolLevels);
    export.icapServices(this::icapCounts);
  }

  @Override
  public void showHistory(HistorySources sources) {
    sources.things("helper", HelperCount.values(), helpers::numbers);
    sources.things("login", LoginCount.values(), this::loginCounts);
    sources.things("pool", PoolCount.values(), this::poolCounts);
    sources.things("pool", PoolLevel.values(), this::poolLevels);
    sources.things("icap", ServiceCount.values(), this::icapCounts);
  }

  @Override
  public void showBeans(ManagementBeans beans) {
    beans.icap(this::icapCounts);
    beans.pools(this::poolCounts, this::poolLevels);
    beans.helpers(helpers::numbers, this::loginCounts);
  }

  @Override
  public void close() {
    Logins last = logins;
    if (last != null) {
      last.replacedBy(null);
    }
    helpers.close();
  }
}
