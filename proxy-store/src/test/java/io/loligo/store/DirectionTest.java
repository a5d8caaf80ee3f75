package io.loligo.store;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
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

  /** The what-if of the server shares it. */
  @ArchTest
  static final ArchRule POLICY_KNOWS_NO_OTHER_PACKAGE =
      classes()
          .that()
          .resideInAPackage("io.loligo.store.lfu")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("io.loligo.store.lfu", "java.lang..", "java.util", "org.jspecify..");

  @ArchTest
  static final ArchRule MAP_KNOWS_ITS_POLICY_ONLY =
      classes()
          .that()
          .resideInAPackage("io.loligo.store.map")
          .and()
          .haveSimpleNameNotContaining("Test")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "io.loligo.store.map",
              "io.loligo.store.lfu",
              "io.loligo.store.stripes",
              "io.loligo.core.caching",
              "java..",
              "org.jspecify..");

  @ArchTest
  static final ArchRule FREE_OF_CYCLES =
      slices().matching("io.loligo.store.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule DISK_PARTS_ARE_FREE_OF_CYCLES =
      slices().matching("io.loligo.store.disk.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule DISK_HAS_ONE_FRONT_DOOR =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.loligo.store.disk..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.loligo.store.disk.*..");

  /** Each part of the disk tier, and the parts that it may use. */
  @ArchTest
  static final ArchRule DISK_PARTS_POINT_DOWN =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .layer("directory")
          .definedBy("io.loligo.store.disk")
          .layer("start")
          .definedBy("io.loligo.store.disk.start")
          .layer("patrol")
          .definedBy("io.loligo.store.disk.patrol")
          .layer("write")
          .definedBy("io.loligo.store.disk.write")
          .layer("read")
          .definedBy("io.loligo.store.disk.read")
          .layer("context")
          .definedBy("io.loligo.store.disk.context")
          .layer("space")
          .definedBy("io.loligo.store.disk.space")
          .layer("index")
          .definedBy("io.loligo.store.disk.index")
          .layer("segment")
          .definedBy("io.loligo.store.disk.segment")
          .layer("journal")
          .definedBy("io.loligo.store.disk.journal")
          .layer("purge")
          .definedBy("io.loligo.store.disk.purge")
          .layer("medium")
          .definedBy("io.loligo.store.disk.medium")
          .layer("format")
          .definedBy("io.loligo.store.disk.format")
          .layer("record")
          .definedBy("io.loligo.store.disk.record")
          .whereLayer("directory")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("start")
          .mayOnlyAccessLayers("context", "index", "segment", "journal", "medium", "format")
          .whereLayer("patrol")
          .mayOnlyAccessLayers("context", "index", "segment", "format")
          .whereLayer("write")
          .mayOnlyAccessLayers(
              "context", "space", "index", "segment", "journal", "medium", "format")
          .whereLayer("read")
          .mayOnlyAccessLayers("context", "index", "segment", "medium", "format", "record")
          .whereLayer("context")
          .mayOnlyAccessLayers("space", "index", "segment", "journal", "medium", "format")
          .whereLayer("space")
          .mayOnlyAccessLayers("index", "segment", "journal", "format")
          .whereLayer("index")
          .mayOnlyAccessLayers("segment", "journal", "format")
          .whereLayer("segment")
          .mayOnlyAccessLayers("journal", "medium", "format")
          .whereLayer("journal")
          .mayOnlyAccessLayers("medium", "format")
          .whereLayer("purge")
          .mayOnlyAccessLayers("medium", "format")
          .whereLayer("medium")
          .mayOnlyAccessLayers("format", "record")
          .whereLayer("format")
          .mayNotAccessAnyLayer()
          .whereLayer("record")
          .mayNotAccessAnyLayer();
}
