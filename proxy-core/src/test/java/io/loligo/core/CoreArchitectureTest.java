package io.loligo.core;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "io.loligo.core", importOptions = ImportOption.DoNotIncludeTests.class)
final class CoreArchitectureTest {
  @ArchTest
  static final ArchRule packagesHaveNoCycles =
      slices().matching("io.loligo.core.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule coreTouchesNoSocketFileOrThread =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "java.net..",
              "java.nio.channels..",
              "java.nio.file..",
              "java.util.concurrent..",
              "io.netty.channel..");

  @ArchTest
  static final ArchRule coreHasNoClockOfItsOwn =
      noClasses()
          .should()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(System.class, "nanoTime")
          .orShould()
          .callMethod(java.time.Instant.class, "now")
          .orShould()
          .callMethod(Thread.class, "start");

  @ArchTest
  static final ArchRule messagesKnowNothingOfTheirTransport =
      classes()
          .that()
          .resideInAPackage("io.loligo.core.message..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "io.loligo.core.message..",
              "java..",
              "io.netty.buffer..",
              "org.jspecify.annotations..");
}
