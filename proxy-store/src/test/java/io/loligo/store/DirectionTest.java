package io.loligo.store;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.netty.buffer.ByteBuf;

@AnalyzeClasses(packages = "io.loligo.store", importOptions = ImportOption.DoNotIncludeTests.class)
final class DirectionTest {
  @ArchTest
  static final ArchRule KNOWS_NO_SERVER =
      noClasses().should().dependOnClassesThat().resideInAPackage("io.loligo.server..");

  @ArchTest
  static final ArchRule KNOWS_NO_SOCKETS =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.netty.channel..", "java.net..");

  @ArchTest
  static final ArchRule FILES_ARE_THE_DISK_TIERS =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.loligo.store.disk..")
          .and()
          .areNotAssignableTo(ByteBuf.class)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("java.nio.channels..", "java.nio.file..");

  @ArchTest
  static final ArchRule MEMORY_STANDS_ALONE =
      classes()
          .that()
          .resideInAPackage("io.loligo.store.memory")
          .should()
          .onlyDependOnClassesThat()
          .resideOutsideOfPackages("io.loligo.store", "io.loligo.store.inflight");

  @ArchTest
  static final ArchRule FREE_OF_CYCLES =
      slices().matching("io.loligo.store.(*)..").should().beFreeOfCycles();
}
