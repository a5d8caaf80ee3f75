package io.loligo.server.boot;

import io.loligo.core.caching.CachingDirectives;
import io.loligo.core.config.ConfigReader;
import io.loligo.core.config.ConfigSource;
import io.loligo.core.config.Directives;
import io.loligo.core.config.Feature;
import io.loligo.core.config.FileDirectives;
import io.loligo.core.http1.LimitDirectives;
import io.loligo.server.accesslog.LogDirectives;
import io.loligo.server.adapt.AdaptationDirectives;
import io.loligo.server.admin.AdminDirectives;
import io.loligo.server.bump.BumpDirectives;
import io.loligo.server.cluster.ClusterDirectives;
import io.loligo.server.downstream.connection.ClientDirectives;
import io.loligo.server.exchange.settings.AccessDirectives;
import io.loligo.server.exchange.settings.FetchDirectives;
import io.loligo.server.exchange.settings.HitDirectives;
import io.loligo.server.exchange.settings.IdentityDirectives;
import io.loligo.server.exchange.settings.InterceptionDirectives;
import io.loligo.server.exchange.settings.LoadDirectives;
import io.loligo.server.exchange.settings.RealClientDirectives;
import io.loligo.server.exchange.settings.fields.FieldDirectives;
import io.loligo.server.exchange.settings.pages.PageDirectives;
import io.loligo.server.exchange.settings.programs.ExternalAclDirectives;
import io.loligo.server.exchange.settings.programs.RewriteDirectives;
import io.loligo.server.exchange.settings.programs.StoreIdDirectives;
import io.loligo.server.helper.HelperDirectives;
import io.loligo.server.history.HistoryDirectives;
import io.loligo.server.ldap.LdapDirectives;
import io.loligo.server.login.LoginDirectives;
import io.loligo.server.manager.ManagerDirectives;
import io.loligo.server.peer.NeighbourDirectives;
import io.loligo.server.peer.ask.AskDirectives;
import io.loligo.server.port.PortDirectives;
import io.loligo.server.shaping.ClientPoolDirectives;
import io.loligo.server.shaping.DelayDirectives;
import io.loligo.server.shaping.RateDirectives;
import io.loligo.server.time.TimeoutDirectives;
import io.loligo.server.tls.TlsDirectives;
import io.loligo.server.trace.TraceDirectives;
import io.loligo.server.transport.TransportDirectives;
import io.loligo.server.upstream.OriginDirectives;
import io.loligo.server.upstream.OutgoingTlsDirectives;
import io.loligo.server.upstream.PeerDirectives;
import io.loligo.server.upstream.names.NameDirectives;
import io.loligo.server.upstream.route.RoutingDirectives;
import io.loligo.store.MemoryDirectives;
import io.loligo.store.disk.DiskDirectives;
import java.util.List;

/** All directives of this process: the features of its packages. Immutable; any thread. */
public final class Features {
  private static final List<Feature> ALL =
      List.of(
          PortDirectives.FEATURE,
          FileDirectives.FEATURE,
          AccessDirectives.FEATURE,
          LoginDirectives.FEATURE,
          LdapDirectives.FEATURE,
          FieldDirectives.FEATURE,
          PageDirectives.FEATURE,
          PeerDirectives.FEATURE,
          NeighbourDirectives.FEATURE,
          AskDirectives.FEATURE,
          RoutingDirectives.FEATURE,
          OutgoingTlsDirectives.FEATURE,
          CachingDirectives.FEATURE,
          MemoryDirectives.FEATURE,
          DiskDirectives.FEATURE,
          FetchDirectives.FEATURE,
          HitDirectives.FEATURE,
          IdentityDirectives.FEATURE,
          RealClientDirectives.FEATURE,
          InterceptionDirectives.FEATURE,
          ExternalAclDirectives.FEATURE,
          RewriteDirectives.FEATURE,
          StoreIdDirectives.FEATURE,
          HelperDirectives.FEATURE,
          AdaptationDirectives.FEATURE,
          TimeoutDirectives.FEATURE,
          ClientDirectives.FEATURE,
          OriginDirectives.FEATURE,
          NameDirectives.FEATURE,
          LimitDirectives.FEATURE,
          LoadDirectives.FEATURE,
          DelayDirectives.FEATURE,
          ClientPoolDirectives.FEATURE,
          RateDirectives.FEATURE,
          LogDirectives.FEATURE,
          AdminDirectives.FEATURE,
          ManagerDirectives.FEATURE,
          HistoryDirectives.FEATURE,
          TraceDirectives.FEATURE,
          TransportDirectives.FEATURE,
          TlsDirectives.FEATURE,
          BumpDirectives.FEATURE,
          ClusterDirectives.FEATURE,
          ProcessDirectives.FEATURE);

  private static final Directives DIRECTIVES = new Directives(ALL);

  private Features() {}

  /** Every directive, including those without effect. */
  public static Directives directives() {
    return DIRECTIVES;
  }

  /** Reads a configuration through {@code source}. */
  public static ConfigReader reader(ConfigSource source) {
    return new ConfigReader(DIRECTIVES, source);
  }
}
