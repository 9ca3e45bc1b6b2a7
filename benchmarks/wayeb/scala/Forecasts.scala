// Wayeb as a library, as its docs/lib.md has it: learns a model from a stream, or follows one and keeps
// what it forecasts. A program of its own because Wayeb reads no CSV with a column for the machine, and keeps
// its chances to itself.
//
//   Forecasts learn  full|suffix PATTERN DECLARATIONS STREAM MODEL
//   Forecasts follow full|suffix HORIZON STREAM MODEL CHANCES
//
// Out comes a chance for each event, in order, as doubles: that a match is complete within HORIZON events of
// the machine. Statistics and logging are off; with them on it would be slower.

import java.io.{File, FileInputStream, ObjectInputStream}
import java.nio.file.{Files, Paths, StandardOpenOption}
import java.nio.{ByteBuffer, ByteOrder}

import fsm.{CountPolicy, SDFAInterface, SPSTInterface}
import model.forecaster.ForecasterInterface
import model.forecaster.runtime.{Forecast, RelativeForecast}
import model.waitingTime.ForecastMethod
import stream.GenericEvent
import stream.source.{CSVStreamSource, LineParser}
import ui.ConfigUtils
import utils.SerializationUtils
import workflow.provider._
import workflow.provider.source.forecaster.{ForecasterSourceBuild, ForecasterSourceDirect}
import workflow.provider.source.matrix.MCSourceSerialized
import workflow.provider.source.sdfa.SDFASourceSerialized
import workflow.provider.source.spst.{SPSTSourceDirectI, SPSTSourceSerialized}
import workflow.provider.source.wt.{WtSourceMatrix, WtSourceSPST}
import workflow.task.engineTask.ERFTask
import workflow.task.estimatorTask.MatrixMLETask
import workflow.task.fsmTask.{SDFATask, SPSTTask}

/** A line is `level,time,machine`; the level is the type of the event. */
object Levels extends LineParser {
  override def line2Event(line: Seq[String], id: Int): GenericEvent =
    GenericEvent(id, line.head, line(1).toLong, Map("machine" -> line(2)))
}

/** Hands on what another forecasts, and keeps its probability. */
class Keeping(other: ForecasterInterface) extends ForecasterInterface {
  private var chances = new Array[Double](1 << 16)
  private var count = 0

  override def getNewForecast(state: Int, counter: Long): RelativeForecast = {
    val forecast = other.getNewForecast(state, counter)
    if (count == chances.length) chances = java.util.Arrays.copyOf(chances, 2 * count)
    chances(count) = (forecast: Forecast).prob
    count += 1
    forecast
  }

  override def getStates: Set[Int] = other.getStates
  override def getId: Int = other.getId
  override def getMaxSpread: Int = other.getMaxSpread
  override def getType: model.forecaster.ForecasterType.ForecasterType = other.getType

  def write(file: String): Unit = {
    val bytes = ByteBuffer.allocate(8 * count).order(ByteOrder.LITTLE_ENDIAN)
    for (at <- 0 until count) bytes.putDouble(chances(at))
    Files.write(Paths.get(file), bytes.array(), StandardOpenOption.CREATE)
  }
}

object Forecasts {
  def main(given: Array[String]): Unit = given match {
    case Array("learn", kind, pattern, declarations, stream, model) =>
      new File(model).mkdirs()
      learn(kind, pattern, declarations, CSVStreamSource(stream, Levels), model)
    case Array("follow", kind, horizon, stream, model, chances) =>
      follow(kind, horizon.toInt, CSVStreamSource(stream, Levels), model, chances)
  }

  // Matches may overlap, so that a long run has many.
  private def learn(
    kind: String, pattern: String, declarations: String, source: CSVStreamSource, model: String
  ): Unit =
    kind match {
      case "full" =>
        val automata = SDFATask(pattern, declarations, CountPolicy.OVERLAP).execute()
        SerializationUtils.write2File[SDFAInterface](automata, s"$model/automaton")
        val provider = FSMProvider(SDFAProvider(SDFASourceSerialized(s"$model/automaton")))
        SerializationUtils.write2File(MatrixMLETask(provider, source).execute()._1, s"$model/chain")
      case "suffix" =>
        val trees = SPSTTask(
          pattern, declarations, CountPolicy.OVERLAP, source,
          ConfigUtils.defaultPMin, ConfigUtils.defaultAlpha, ConfigUtils.defaultGammaMin, ConfigUtils.defaultR
        ).execute()
        SerializationUtils.write2File[SPSTInterface](trees, s"$model/tree")
    }

  private def follow(
    kind: String, horizon: Int, source: CSVStreamSource, model: String, chances: String
  ): Unit = {
    val (automata, waiting) = kind match {
      case "full" =>
        val automata = FSMProvider(SDFAProvider(SDFASourceSerialized(s"$model/automaton")))
        val chains = MarkovChainProvider(MCSourceSerialized(s"$model/chain"))
        (automata, WtProvider(WtSourceMatrix(automata, chains, horizon, finalsEnabled = true)))
      case "suffix" =>
        val automata = FSMProvider(SPSTProvider(SPSTSourceSerialized(s"$model/tree")))
        val trees = SPSTProvider(SPSTSourceDirectI(automata.provide().map(_.asInstanceOf[SPSTInterface])))
        val cutoff = ConfigUtils.wtCutoffThreshold
        (automata, WtProvider(WtSourceSPST(trees, horizon, cutoff, ConfigUtils.defaultDistance)))
    }
    val built = ForecasterSourceBuild(automata, waiting, horizon, 0.5, horizon, ForecastMethod.CLASSIFY_NEXTK)
    val kept = ForecasterProvider(built).provide().map(new Keeping(_))
    ERFTask(
      fsmp = automata,
      pp = ForecasterProvider(ForecasterSourceDirect(kept)),
      predictorEnabled = true,
      finalsEnabled = true,
      expirationDeadline = ConfigUtils.defaultExpiration,
      distance = ConfigUtils.defaultDistance,
      streamSource = source,
      collectStats = false,
      show = false
    ).execute()
    kept.foreach(_.write(chances))
  }
}
