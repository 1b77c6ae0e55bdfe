//! Where things are in a picture.

/// The part of a picture in which values are drawn: what its margins leave, in units of the picture. The origin of those is at the
/// upper left.
#[derive(Clone, Copy, Debug)]
pub struct Area {
    /// Width of the picture.
    pub width: f64,
    /// Height of the picture.
    pub height: f64,
    /// Margin on the left.
    pub left: f64,
    /// Margin on the right.
    pub right: f64,
    /// Margin above.
    pub top: f64,
    /// Margin below.
    pub bottom: f64,
}

impl Area {
    /// How wide it is.
    pub const fn across(&self) -> f64 {
        self.width - self.left - self.right
    }

    /// Where its right edge is.
    pub const fn end(&self) -> f64 {
        self.width - self.right
    }

    /// Where its lower edge is, on which values of 0 are.
    pub const fn floor(&self) -> f64 {
        self.height - self.bottom
    }

    /// In the middle between its sides.
    pub const fn center(&self) -> f64 {
        (self.left + self.width - self.right) / 2.0
    }

    /// In the middle between its upper and its lower edge.
    pub const fn middle(&self) -> f64 {
        (self.top + self.height - self.bottom) / 2.0
    }

    /// How far down `value` is, if `highest` is on the upper edge. What is higher is on that, too, and what is negative on the
    /// lower one.
    pub fn y(&self, value: f64, highest: f64) -> f64 {
        let part = (value / highest).clamp(0.0, 1.0);
        self.floor() - part * (self.height - self.top - self.bottom)
    }
}

/// The smallest of 1, 2, 5, 10, 20, ..., of any power of ten, that is no smaller than `value`, or than that `enough` of it:
/// 1.0, or a little less. 1 if `value` is not above 0.
pub fn round_step(value: f64, enough: f64) -> f64 {
    if value <= 0.0 {
        return 1.0;
    }
    let power = 10_f64.powf(value.log10().floor());
    let least = value * enough;
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
    let step = steps.into_iter().find(|step| *step >= least);
    step.unwrap_or(10.0 * power)
}

/// Text as it stands between the tags of SVG and HTML. In attributes, quotes would need more.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_numbers() {
        for (value, expected) in [
            (0.0, 1.0),
            (0.3, 0.5),
            (7.0, 10.0),
            (1.0, 1.0),
            (210.0, 500.0),
        ] {
            for enough in [1.0, 0.999] {
                let step = round_step(value, enough);
                assert!((step / expected - 1.0).abs() < 1e-9, "{value}");
            }
        }
        assert_eq!(round_step(200.1, 1.0), 500.0);
        assert_eq!(round_step(200.1, 0.999), 200.0);
    }

    #[test]
    fn values_lie_between_the_edges() {
        let area = Area {
            width: 100.0,
            height: 60.0,
            left: 10.0,
            right: 20.0,
            top: 5.0,
            bottom: 15.0,
        };
        assert_eq!(
            (area.across(), area.end(), area.center()),
            (70.0, 80.0, 45.0)
        );
        assert_eq!((area.floor(), area.middle()), (45.0, 25.0));
        for (value, y) in [
            (0.0, 45.0),
            (1.0, 35.0),
            (4.0, 5.0),
            (9.0, 5.0),
            (-1.0, 45.0),
        ] {
            assert_eq!(area.y(value, 4.0), y);
        }
    }

    #[test]
    fn tags_are_escaped() {
        assert_eq!(escape("a < b & c > d"), "a &lt; b &amp; c &gt; d");
    }
}
