package io.loligo.server.upstream;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.loligo.server.upstream.attempt.NettyUpstream;
import io.loligo.server.upstream.http1.ConnectionContext;
import io.loligo.server.upstream.http2.StreamContext;

/** Directions among the packages of the upstream side, and the types that others may use. */
@AnalyzeClasses(packages = "io.loligo.server", importOptions = ImportOption.DoNotIncludeTests.class)
class UpstreamPackagesTest {
  private static final String UPSTREAM = "io.loligo.server.upstream";

  @ArchTest
  static final ArchRule PACKAGES_HAVE_NO_CYCLES =
      slices().matching(UPSTREAM + ".(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule CONTRACTS_KNOW_NONE_OF_THE_PACKAGES_BELOW =
      noClasses()
          .that()
          .resideInAPackage(UPSTREAM)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(UPSTREAM + ".*");

  @ArchTest
  static final ArchRule LAYERS =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .layer("attempt")
          .definedBy(UPSTREAM + ".attempt..")
          .layer("http1")
          .definedBy(UPSTREAM + ".http1..")
          .layer("http2")
          .definedBy(UPSTREAM + ".http2..")
          .layer("connect")
          .definedBy(UPSTREAM + ".connect..")
          .layer("pool")
          .definedBy(UPSTREAM + ".pool..")
          .layer("tls")
          .definedBy(UPSTREAM + ".tls..")
          .layer("names")
          .definedBy(UPSTREAM + ".names..")
          .layer("route")
          .definedBy(UPSTREAM + ".route..")
          .layer("own")
          .definedBy(UPSTREAM + ".own..")
          .whereLayer("attempt")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("http1")
          .mayOnlyBeAccessedByLayers("attempt")
          .whereLayer("http2")
          .mayOnlyBeAccessedByLayers("attempt")
          .whereLayer("connect")
          .mayOnlyBeAccessedByLayers("attempt")
          .whereLayer("pool")
          .mayOnlyBeAccessedByLayers("attempt", "connect", "http1", "http2")
          .whereLayer("tls")
          .mayOnlyBeAccessedByLayers("attempt", "connect", "pool")
          .whereLayer("names")
          .mayOnlyBeAccessedByLayers("attempt")
          .whereLayer("route")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("own")
          .mayOnlyBeAccessedByLayers("route");

  @ArchTest
  static final ArchRule NAMES_KNOW_NOTHING_OF_REQUESTS =
      noClasses()
          .that()
          .resideInAPackage(UPSTREAM + ".names..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(UPSTREAM);

  @ArchTest
  static final ArchRule CONNECTIONS_KNOW_NO_CONFIGURATION =
      noClasses()
          .that()
          .resideInAnyPackage(
              UPSTREAM + ".connect..",
              UPSTREAM + ".http1..",
              UPSTREAM + ".http2..",
              UPSTREAM + ".own..")
          .and()
          .doNotBelongToAnyOf(ConnectionContext.class, StreamContext.class)
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.loligo.core.config..");

  @ArchTest
  static final ArchRule THE_WALK_KNOWS_NO_PROTOCOL =
      noClasses()
          .that()
          .resideInAnyPackage(
              UPSTREAM,
              UPSTREAM + ".attempt..",
              UPSTREAM + ".connect..",
              UPSTREAM + ".names..",
              UPSTREAM + ".pool..",
              UPSTREAM + ".route..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.loligo.core.http1..");

  @ArchTest
  static final ArchRule ONLY_ONE_CLASS_MAKES_CONNECTIONS_OF_A_PROTOCOL =
      noClasses()
          .that()
          .resideInAPackage(UPSTREAM + ".attempt..")
          .and()
          .doNotBelongToAnyOf(NettyUpstream.class)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(UPSTREAM + ".http1..", UPSTREAM + ".http2..");

  @ArchTest
  static final ArchRule EXCHANGES_KNOW_CONTRACTS_ROUTES_AND_OWN_OBJECTS =
      noClasses()
          .that()
          .resideInAnyPackage(
              "io.loligo.server.exchange..",
              "io.loligo.server.downstream..",
              "io.loligo.server.peer..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              UPSTREAM + ".attempt..",
              UPSTREAM + ".http1..",
              UPSTREAM + ".http2..",
              UPSTREAM + ".connect..",
              UPSTREAM + ".pool..",
              UPSTREAM + ".names..");
}
