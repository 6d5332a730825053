/**
 * A canvas over the map that painters draw on. Leaflet's own canvas keeps an object per dot and checks every one of
 * them on each move of the pointer, which is too slow for tens of thousands.
 */

import { EDGE, xy } from "../coords.js";

/** How far the canvas extends beyond each edge of the map, as a share of the map: panning that far needs no repaint. */
const PADDING = 0.3;

/** With more, a phone would paint several times the pixels for no visible gain. */
const MAX_PIXEL_RATIO = 2;

/**
 * @typedef {object} View Converts percent to pixels of the canvas: `left + x * across`, `top + y * down`.
 * @property {number} left @property {number} top @property {number} across @property {number} down
 * @property {number} width @property {number} height Of the canvas, in its pixels.
 * @property {number} ratio Pixels of the canvas per pixel of the page.
 * @typedef {{paint: (context: CanvasRenderingContext2D, view: View) => void}} Painter
 */

export class Canvas extends L.Layer {
  /** @type {Painter[]} In the order of painting. */
  painters = [];
  canvas = L.DomUtil.create("canvas", "leaflet-zoom-animated painted");
  /** The animation frame for which a repaint is requested. */
  frame = 0;
  /** Size of the canvas in pixels of the page, and its north-west corner as layer point and on the map. */
  size = L.point(0, 0);
  corner = L.point(0, 0);
  at = L.latLng(0, 0);
  /** The zoom it was painted for. */
  zoom = 0;
  /** Add a canvas to a map. @param {L.Map} map */
  constructor(map) {
    super();
    this.map = map;
    this.canvas.setAttribute("aria-hidden", "true");
    map.addLayer(this);
  }

  /** @override */
  onAdd() {
    this.getPane()?.append(this.canvas);
    this.paint();
    return this;
  }

  /** @override */
  onRemove() {
    cancelAnimationFrame(this.frame);
    this.canvas.remove();
    return this;
  }

  /** @override @returns {Record<string, L.LeafletEventHandlerFn>} */
  getEvents() {
    return {
      viewreset: this.paint,
      moveend: this.paint,
      resize: this.paint,
      move: this.follow,
      zoom: this.stretch,
      zoomanim: this.animate,
    };
  }

  /** Paint once before the next frame, however often this is called. */
  repaint() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.paint());
  }

  /** While the map is dragged, its pane moves the canvas too; repaint only when the canvas's edge would be seen. */
  follow() {
    if (this.map.getZoom() !== this.zoom) return;
    const seen = this.map.containerPointToLayerPoint([0, 0]);
    const size = this.map.getSize();
    const { x, y } = seen.subtract(this.corner);
    if (x >= 0 && y >= 0 && x + size.x <= this.size.x && y + size.y <= this.size.y) return;
    this.repaint();
  }

  /** During a pinch, scale what was painted. */
  stretch() {
    this.transform(
      this.map.project(this.at, this.map.getZoom()).subtract(this.map.getPixelOrigin()),
      this.map.getZoom(),
    );
  }

  /** @param {L.LeafletEvent} event An animated zoom is about to begin. */
  animate(event) {
    const { center, zoom } = /** @type {L.ZoomAnimEvent} */ (event);
    const pane = L.DomUtil.getPosition(this.map.getPanes().mapPane);
    const origin = this.map.project(center, zoom).subtract(this.map.getSize().divideBy(2)).add(pane).round();
    this.transform(this.map.project(this.at, zoom).subtract(origin), zoom);
  }

  /** @param {L.Point} corner @param {number} zoom */
  transform(corner, zoom) {
    L.DomUtil.setTransform(this.canvas, corner, this.map.getZoomScale(zoom, this.zoom));
  }

  paint() {
    cancelAnimationFrame(this.frame);
    const { map, canvas } = this;
    const ratio = Math.min(devicePixelRatio, MAX_PIXEL_RATIO);
    const padding = map.getSize().multiplyBy(PADDING).round();
    this.size = map.getSize().add(padding.multiplyBy(2));
    this.corner = map.containerPointToLayerPoint([0, 0]).subtract(padding);
    this.zoom = map.getZoom();
    this.at = map.unproject(this.corner.add(map.getPixelOrigin()), this.zoom);
    const width = Math.round(this.size.x * ratio);
    const height = Math.round(this.size.y * ratio);
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
      canvas.style.width = `${this.size.x}px`;
      canvas.style.height = `${this.size.y}px`;
    }
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    context.clearRect(0, 0, width, height);
    const view = { ...this.scale(ratio), width, height, ratio };
    for (const painter of this.painters) painter.paint(context, view);
    this.transform(this.corner, this.zoom);
  }

  /** @param {number} ratio */
  scale(ratio) {
    const moved = this.corner.add(this.map.getPixelOrigin());
    const from = this.map.project(xy(0, 0), this.zoom).subtract(moved);
    const to = this.map.project(xy(EDGE, EDGE), this.zoom).subtract(moved);
    return {
      left: from.x * ratio,
      top: from.y * ratio,
      across: ((to.x - from.x) / EDGE) * ratio,
      down: ((to.y - from.y) / EDGE) * ratio,
    };
  }
}
