package io.loligo.server;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** server -> store -> core, server -> cluster, and no cycles among the server's packages. */
@AnalyzeClasses(packages = "io.loligo", importOptions = ImportOption.DoNotIncludeTests.class)
class PackageDirectionsTest {
  @ArchTest
  static final ArchRule PACKAGES_HAVE_NO_CYCLES =
      slices().matching("io.loligo.server.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule STORE_KNOWS_NO_SERVER =
      noClasses()
          .that()
          .resideInAPackage("io.loligo.store..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.loligo.server..");

  @ArchTest
  static final ArchRule CORE_KNOWS_NEITHER_STORE_NOR_SERVER =
      noClasses()
          .that()
          .resideInAPackage("io.loligo.core..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.loligo.server..", "io.loligo.store..");

  /** It is told of HTTP and of stored responses by those who use it. */
  @ArchTest
  static final ArchRule CLUSTER_KNOWS_NO_OTHER_MODULE =
      noClasses()
          .that()
          .resideInAPackage("io.loligo.cluster..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.loligo.core..", "io.loligo.store..", "io.loligo.server..", "io.netty..");

  @ArchTest
  static final ArchRule PARTS_OF_THE_CLUSTER_HAVE_NO_CYCLES =
      slices().matching("io.loligo.cluster.(*)..").should().beFreeOfCycles();

  /** Without a line, none of it is loaded. */
  @ArchTest
  static final ArchRule ONLY_ONE_PACKAGE_KNOWS_THE_CLUSTER =
      noClasses()
          .that()
          .resideInAPackage("io.loligo.server..")
          .and()
          .resideOutsideOfPackages("io.loligo.server.cluster..", "io.loligo.server.boot..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.loligo.cluster..");

  @ArchTest
  static final ArchRule ONLY_ONE_PACKAGE_KNOWS_THE_ENGINE =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.loligo.cluster.jgroups..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.jgroups..");

  /** Core's message package has everything that an exchange needs of a version. */
  @ArchTest
  static final ArchRule EXCHANGES_SPEAK_NO_VERSION_OF_HTTP =
      noClasses()
          .that()
          .resideInAPackage("io.loligo.server.exchange..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.loligo.core.http1..",
              "io.loligo.core.http2..",
              "io.loligo.server.downstream..",
              "io.loligo.server.upstream.http1..",
              "io.loligo.server.upstream.http2..");

  /** A step can be read without the steps behind it. */
  @ArchTest
  static final ArchRule STEPS_OF_AN_EXCHANGE_HAVE_NO_CYCLES =
      slices().matching("io.loligo.server.exchange.(*)..").should().beFreeOfCycles();

  /** The steps are put together in one place, and know each other nowhere else. */
  @ArchTest
  static final ArchRule NO_STEP_KNOWS_THE_TABLE_OF_STEPS =
      noClasses()
          .that()
          .resideInAPackage("io.loligo.server.exchange.*..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.loligo.server.exchange");

  @ArchTest
  static final ArchRule PARTS_OF_THE_CLIENT_SIDE_HAVE_NO_CYCLES =
      slices().matching("io.loligo.server.downstream.(*)..").should().beFreeOfCycles();

  /** The parts common to all versions, and the ports, know none of them. */
  @ArchTest
  static final ArchRule ONLY_HTTP1_KNOWS_HTTP1_ON_THE_CLIENT_SIDE =
      noClasses()
          .that()
          .resideInAPackage("io.loligo.server.downstream..")
          .and()
          .resideOutsideOfPackage("io.loligo.server.downstream.http1..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.loligo.server.downstream.http1..");

  @ArchTest
  static final ArchRule OBSERVERS_KNOW_ONLY_THE_RECORD =
      noClasses()
          .that()
          .resideInAnyPackage(
              "io.loligo.server.record..",
              "io.loligo.server.accesslog..",
              "io.loligo.server.metrics..",
              "io.loligo.server.history..",
              "io.loligo.server.whatif..",
              "io.loligo.server.jfr..",
              "io.loligo.server.trace..",
              "io.loligo.server.traffic..",
              "io.loligo.server.origins..",
              "io.loligo.server.admin..",
              "io.loligo.server.manager..",
              "io.loligo.server.jmx..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.loligo.core.http1..",
              "io.loligo.server.downstream..",
              "io.loligo.server.upstream..",
              "io.loligo.server.exchange..");

  /** Every package may use it without a cycle. */
  @ArchTest
  static final ArchRule JSON_KNOWS_NO_OTHER_PACKAGE =
      noClasses()
          .that()
          .resideInAPackage("io.loligo.server.json..")
          .should()
          .dependOnClassesThat(
              resideInAPackage("io.loligo..").and(resideOutsideOfPackage("..server.json..")));

  /** It runs before anything else, in a JVM that may be given up. */
  @ArchTest
  static final ArchRule LAUNCH_KNOWS_NO_OTHER_PACKAGE =
      noClasses()
          .that()
          .resideInAPackage("io.loligo.server.launch..")
          .should()
          .dependOnClassesThat(
              resideInAPackage("io.loligo..").and(resideOutsideOfPackage("..server.launch..")));

  /** No request meets it. */
  @ArchTest
  static final ArchRule ONLY_A_COMMAND_AND_THE_START_TRAIN =
      noClasses()
          .that()
          .resideInAPackage("io.loligo.server..")
          .and()
          .resideOutsideOfPackages(
              "io.loligo.server.training..", "io.loligo.server.cli..", "io.loligo.server.boot..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.loligo.server.training..");
}
